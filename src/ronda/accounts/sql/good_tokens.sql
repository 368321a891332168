-- How many of these tokens let an administrator in now.
SELECT count(*)
  FROM accounts_apitoken token
  JOIN accounts_person person ON person.id = token.person_id AND person.is_active
  JOIN accounts_rolegrant role ON role.person_id = person.id AND role.role = 'administrator'
 WHERE token.digest = ANY (%s) AND token.revoked_at IS NULL
