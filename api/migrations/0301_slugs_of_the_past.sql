-- Which registry was shown with a slug at an instant.
create index trust_registry_versions_slug on service.trust_registry_versions (slug, from_time) where state = 'active';
