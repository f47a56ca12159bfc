-- Names are found without regard to accents and case, in one form that names and what is searched for are both brought to. The
-- Turkish i with and without its dot, capital or not, is one letter here: whoever searches has one keyboard or the other.
create function service.folded(words text) returns text language sql immutable strict parallel safe as $$
  select replace(replace(replace(translate(
    lower(regexp_replace(normalize(words, NFKD),
      '[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]', '', 'g')
      collate "und-x-icu"),
    'ıłøđħŧðς', 'ilodhtdσ'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe')
$$;

alter table service.shown_names drop column searched;
alter table service.shown_names add column searched text not null generated always as (service.folded(name)) stored;
