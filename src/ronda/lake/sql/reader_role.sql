-- Reads the catalogue of the lake, and tables that DuckLake makes there later (small rows are kept in some).
{verb} ROLE {role} LOGIN NOCREATEDB NOCREATEROLE NOINHERIT PASSWORD {password};
ALTER ROLE {role} SET default_transaction_read_only = on;
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT ON TABLES TO {role};
