module.exports = class Tables1795000000001 {
    name = 'Tables1795000000001'

    async up(db) {
        await db.query(`CREATE TABLE "block" ("id" character varying NOT NULL, "height" integer NOT NULL, "hash" text NOT NULL, "time" TIMESTAMP WITH TIME ZONE NOT NULL, "spec_version" integer NOT NULL, CONSTRAINT "PK_d0925763efb591c2e2ffb267572" PRIMARY KEY ("id"))`)
        await db.query(`CREATE UNIQUE INDEX "IDX_bce676e2b005104ccb768495db" ON "block" ("height") `)
        await db.query(`CREATE TABLE "event" ("id" character varying NOT NULL, "block" integer NOT NULL, "index" integer NOT NULL, "time" TIMESTAMP WITH TIME ZONE NOT NULL, "extrinsic_hash" text, "name" text NOT NULL, "actor" text NOT NULL, "key_id" integer, "nonce" integer, "submitter" text, "call_hash" text, "trust_registry_id" text, "revocation_registry_id" text, "schema_id" text, "subject" text, "before" jsonb, "after" jsonb, CONSTRAINT "PK_30c2f3bbaf6d34a55f8ae6e4614" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "did" ("id" character varying NOT NULL, "key" text NOT NULL, "did" text NOT NULL, "submitter" text NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_f6c62aba17457dbc1176ad16f8d" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "did_key" ("id" character varying NOT NULL, "key" text NOT NULL, "did" text NOT NULL, "key_id" integer NOT NULL, "kind" text NOT NULL, "public_key" text NOT NULL, "relationships" integer NOT NULL, "end_reason" text, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_0c976fb0b4842c15336daf1607c" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "did_controller" ("id" character varying NOT NULL, "key" text NOT NULL, "did" text NOT NULL, "controller" text NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_50c3a3d87f907e9b1c31221cc5a" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "did_service" ("id" character varying NOT NULL, "key" text NOT NULL, "did" text NOT NULL, "service_id" text NOT NULL, "type" text NOT NULL, "endpoints" jsonb NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_bab1261ee04f3327c27e21a71ce" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "nonce" ("id" character varying NOT NULL, "nonce" integer NOT NULL, CONSTRAINT "PK_16620962f69fc3620001801e275" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "trust_registry" ("id" character varying NOT NULL, "key" text NOT NULL, "registry_id" text NOT NULL, "convener" text NOT NULL, "pending_convener" text, "name" text NOT NULL, "gov_framework" text NOT NULL, "version" integer NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_65f9438f937423112a5178ddfc8" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "registry_schema" ("id" character varying NOT NULL, "key" text NOT NULL, "registry_id" text NOT NULL, "schema_id" text NOT NULL, "is_public" boolean NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_53363e81234b1a0c90793193f38" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "issuer" ("id" character varying NOT NULL, "key" text NOT NULL, "registry_id" text NOT NULL, "schema_id" text NOT NULL, "did" text NOT NULL, "prices" jsonb NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_0650c5a53be3a0d22b580e27d25" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "verifier" ("id" character varying NOT NULL, "key" text NOT NULL, "registry_id" text NOT NULL, "schema_id" text NOT NULL, "did" text NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_b72ba840a5a8301e0a686fba6b0" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "suspension" ("id" character varying NOT NULL, "key" text NOT NULL, "registry_id" text NOT NULL, "did" text NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_b46f45ab12700f920ef9237a967" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "delegation" ("id" character varying NOT NULL, "key" text NOT NULL, "registry_id" text NOT NULL, "issuer" text NOT NULL, "issuer_order" text NOT NULL, "delegate" text NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_a2cb6c9b942d68b109131beab44" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "revocation_registry" ("id" character varying NOT NULL, "key" text NOT NULL, "registry_id" text NOT NULL, "policy" text array NOT NULL, "creator" text NOT NULL, "add_only" boolean NOT NULL, "kind" text NOT NULL, "length" integer, "version" integer NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_4890156bb1f01c54c4facd13dec" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "status_bit" ("id" character varying NOT NULL, "key" text NOT NULL, "registry_id" text NOT NULL, "index" integer NOT NULL, "from_block" integer NOT NULL, "to_block" integer, CONSTRAINT "PK_71125327ad6ae72e693e174b57d" PRIMARY KEY ("id"))`)
        await db.query(`CREATE TABLE "finality" ("id" character varying NOT NULL, "height" integer NOT NULL, "hash" text NOT NULL, "seen_at" TIMESTAMP WITH TIME ZONE NOT NULL, "behind_since" TIMESTAMP WITH TIME ZONE, CONSTRAINT "PK_89940a0019f68da68fd673695f1" PRIMARY KEY ("id"))`)
    }

    async down(db) {
        await db.query(`DROP TABLE "block"`)
        await db.query(`DROP INDEX "IDX_bce676e2b005104ccb768495db"`)
        await db.query(`DROP TABLE "event"`)
        await db.query(`DROP TABLE "did"`)
        await db.query(`DROP TABLE "did_key"`)
        await db.query(`DROP TABLE "did_controller"`)
        await db.query(`DROP TABLE "did_service"`)
        await db.query(`DROP TABLE "nonce"`)
        await db.query(`DROP TABLE "trust_registry"`)
        await db.query(`DROP TABLE "registry_schema"`)
        await db.query(`DROP TABLE "issuer"`)
        await db.query(`DROP TABLE "verifier"`)
        await db.query(`DROP TABLE "suspension"`)
        await db.query(`DROP TABLE "delegation"`)
        await db.query(`DROP TABLE "revocation_registry"`)
        await db.query(`DROP TABLE "status_bit"`)
        await db.query(`DROP TABLE "finality"`)
    }
}
