-- Tells whether an event's value before or after a change means that there was no entry. JSON's null means that, too.
CREATE OR REPLACE FUNCTION is_unlisted(p_fact jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(nullif(p_fact, 'null'), '{"listed":false}') = '{"listed":false}'
$$;
