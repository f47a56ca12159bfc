export const en = {
  subject: (issuer: string): string => `Your credential from ${issuer}`,
  text: (issuer: string): string => `${issuer} issued a credential to you. It is attached to this mail.

Open it with your wallet, or keep the file: whoever is to trust it can check it without asking anybody.

If you did not expect it, delete this mail.
`,
}
