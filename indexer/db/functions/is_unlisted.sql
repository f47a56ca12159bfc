-- Tells whether what an event says of before or after a change is that there was no place. JSON's null is none, too.
CREATE OR REPLACE FUNCTION is_unlisted(p_fact jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(nullif(p_fact, 'null'), '{"listed":false}') = '{"listed":false}'
$$;
