export const tr = {
  subject: (issuer: string): string => `${issuer} tarafından verilen belgeniz`,
  text: (issuer: string): string => `${issuer} sizin için doğrulanabilir bir belge düzenledi. Belge bu iletiye eklidir.

Belgeyi cüzdanınızla açabilir ya da dosyayı saklayabilirsiniz: ona güvenmek isteyen herkes, kimseye sormadan doğrulayabilir.

Böyle bir belge beklemiyorsanız bu iletiyi silin.
`,
}
