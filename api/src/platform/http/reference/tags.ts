/**
 * The tags of the reference, with the titles that viewers show, in the order in which a newcomer reads: first the parts
 * of a credential, then its issuers.
 */
export const TAGS: readonly { name: string; 'x-displayName': string; description: string }[] = [
  {
    name: 'dids',
    'x-displayName': 'DIDs',
    description:
      'Decentralized identifiers: who issues, holds and verifies. Begin here: a credential needs an issuer, and an issuer is a DID.',
  },
  { name: 'profiles', 'x-displayName': 'Profiles', description: 'The name and logo that people see for a DID.' },
  {
    name: 'schemas',
    'x-displayName': 'Schemas',
    description: 'The shape of a credential’s subject, as JSON Schema, hosted here.',
  },
  { name: 'credentials', 'x-displayName': 'Credentials', description: 'Issue, store, find and revoke credentials.' },
  {
    name: 'presentations',
    'x-displayName': 'Verification',
    description: 'Verify credentials and presentations. Every check is named.',
  },
  {
    name: 'registries',
    'x-displayName': 'Revocation registries',
    description: 'Revocation registries: which credentials are valid no longer.',
  },
  {
    name: 'revocationStatus',
    'x-displayName': 'Revocation status',
    description: 'The status of one credential, and the lists that verifiers fetch.',
  },
  {
    name: 'delegatableRevocation',
    'x-displayName': 'Revocation by wallets',
    description: 'Lists in which wallets, and those whom they delegate to, revoke what they issued.',
  },
  {
    name: 'trustRegistries',
    'x-displayName': 'Trust registries',
    description:
      'Ecosystems: who may issue and verify which schemas, since when and at what price. A convener governs each of them on the ledger.',
  },
  {
    name: 'ledger',
    'x-displayName': 'Ledger',
    description: 'The facts on the ledger themselves: events, queries, GraphQL, and actions that you sign.',
  },
  {
    name: 'trqp',
    'x-displayName': 'Trust Registry Query Protocol',
    description: 'The Trust Registry Query Protocol 2.0, which software of other registries speaks.',
  },
  {
    name: 'vcApi',
    'x-displayName': 'VC-API',
    description: 'Issuing, verification and status in the words of the W3C CCG’s VC-API, which tools and suites speak.',
  },
  { name: 'jobs', 'x-displayName': 'Jobs', description: 'Writes on their way to the ledger, and how they ended.' },
  {
    name: 'webhooks',
    'x-displayName': 'Web hooks',
    description: 'Events that are sent to your own software as they happen.',
  },
  {
    name: 'keys',
    'x-displayName': 'Keys',
    description: 'The keys of your team: what programs send. Each has a role, and may have addresses and an end.',
  },
  {
    name: 'teams',
    'x-displayName': 'Teams',
    description: 'People: how they sign in, the teams that they are in with a role each, and who changed what.',
  },
  {
    name: 'subaccounts',
    'x-displayName': 'Sub-accounts',
    description: 'Tenants that your team manages: each has its own keys and contents.',
  },
  {
    name: 'data',
    'x-displayName': 'Data',
    description: 'Your notifications, use and its limits, a copy of everything that your team owns, and its end.',
  },
  { name: 'pages', 'x-displayName': 'Pages', description: 'Pages that people open in a browser.' },
]
