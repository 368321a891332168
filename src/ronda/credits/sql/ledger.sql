-- What the ledger promises, kept by the database itself: nothing is changed, nothing deleted, and every transfer adds
-- up to nothing when its transaction ends.
CREATE FUNCTION credits_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the ledger is append-only: % of % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE TRIGGER transfer_stays BEFORE UPDATE OR DELETE ON credits_transfer
    FOR EACH ROW EXECUTE FUNCTION credits_refuse();
CREATE TRIGGER entry_stays BEFORE UPDATE OR DELETE ON credits_entry
    FOR EACH ROW EXECUTE FUNCTION credits_refuse();

-- Of an empty ledger nothing is lost.
CREATE FUNCTION credits_refuse_emptying() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM credits_entry) OR EXISTS (SELECT 1 FROM credits_transfer) THEN
        RAISE EXCEPTION 'the ledger is append-only: % of % is refused', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER transfers_stay BEFORE TRUNCATE ON credits_transfer
    FOR EACH STATEMENT EXECUTE FUNCTION credits_refuse_emptying();
CREATE TRIGGER entries_stay BEFORE TRUNCATE ON credits_entry
    FOR EACH STATEMENT EXECUTE FUNCTION credits_refuse_emptying();

CREATE FUNCTION credits_balanced() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wanted bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
    number bigint;
    total numeric;
BEGIN
    SELECT count(*), coalesce(sum(e.micros), 0) INTO number, total
      FROM credits_entry e WHERE e.transfer_id = wanted;
    IF number < 2 OR total <> 0 THEN
        RAISE EXCEPTION 'transfer % has % entries that add up to %', wanted, number, total
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER transfer_balanced AFTER INSERT ON credits_transfer
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION credits_balanced('id');
CREATE CONSTRAINT TRIGGER entry_balanced AFTER INSERT ON credits_entry
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION credits_balanced('transfer_id');
