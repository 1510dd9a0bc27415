using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Sc2Bridge.Admission.Tests;

/// <summary>Certificates in the forms that files have.</summary>
public sealed class TlsTests : IDisposable
{
    private const string Password = "of the key";
    private static readonly DateTimeOffset _now = DateTimeOffset.UtcNow;
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("sc2bridge");

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public void A_certificate_is_read_from_each_kind_of_file()
    {
        using var made = Made(_now.AddDays(1), out var key);
        var pem = File("cert.pem", made.ExportCertificatePem());
        var plain = File("key.pem", key.ExportPkcs8PrivateKeyPem());
        var locked = File("locked.pem", key.ExportEncryptedPkcs8PrivateKeyPem(
            Password, new PbeParameters(PbeEncryptionAlgorithm.Aes256Cbc, HashAlgorithmName.SHA256, 1000)));
        var both = File("both.pem", $"{made.ExportCertificatePem()}\n{key.ExportPkcs8PrivateKeyPem()}");
        var pfx = Path.Combine(_folder.FullName, "cert.pfx");
        System.IO.File.WriteAllBytes(pfx, made.Export(X509ContentType.Pkcs12, Password));
        foreach (var (file, keyFile, password) in ((string, string?, string?)[])
            [(pem, plain, null), (pem, locked, Password), (both, null, null), (pfx, null, Password)])
        {
            var tls = Tls.Load(file, keyFile, password, null, _now);
            Assert.True(tls.Certificate.HasPrivateKey);
            Assert.Equal($"sha256:{made.GetCertHashString(HashAlgorithmName.SHA256).ToLowerInvariant()}", tls.Fingerprint);
        }

        Wrong("SC2BRIDGE_TLS_PASSWORD", () => Tls.Load(pem, locked, "wrong", null, _now));
        Wrong("SC2BRIDGE_TLS_PASSWORD", () => Tls.Load(pfx, null, null, null, _now));
        Wrong("leave out --tls-key", () => Tls.Load(pfx, plain, Password, null, _now));
        Wrong("no private key: name the file of the key with --tls-key", () => Tls.Load(pem, null, null, null, _now));
        Wrong("no private key", () => Tls.Load(pem, pem, null, null, _now));
        Wrong("cannot be read", () => Tls.Load(Path.Combine(_folder.FullName, "none"), null, null, null, _now));
        using var other = Made(_now.AddDays(1), out var otherKey);
        Wrong("cannot be used", () => Tls.Load(pem, File("other.pem", otherKey.ExportPkcs8PrivateKeyPem()), null, null, _now));
        Wrong("no PEM certificate", () => Tls.LoadClientCa(plain));
    }

    [Fact]
    public void One_that_has_expired_or_not_begun_is_refused()
    {
        using var made = Made(_now.AddDays(1), out var key);
        var file = File("both.pem", $"{made.ExportCertificatePem()}\n{key.ExportPkcs8PrivateKeyPem()}");
        Wrong("expired on", () => Tls.Load(file, null, null, null, _now.AddDays(2)));
        Wrong("clock", () => Tls.Load(file, null, null, null, _now.AddDays(-2)));
    }

    [Fact]
    public void One_made_now_is_for_this_machine()
    {
        var tls = Tls.SelfSigned(["bridge.example", "[fd00::7]"], null, _now);
        Assert.True(tls.Certificate.HasPrivateKey);
        foreach (var name in (string[])["localhost", "127.0.0.1", "::1", "bridge.example", "fd00::7"])
        {
            Assert.True(tls.Certificate.MatchesHostname(name), name);
        }

        Assert.False(tls.Certificate.MatchesHostname("other.example"));
        Assert.DoesNotContain("KEY", tls.Certificate.ExportCertificatePem(), StringComparison.Ordinal);
        Assert.NotEqual(tls.Fingerprint, Tls.SelfSigned([], null, _now).Fingerprint);
    }

    private static X509Certificate2 Made(DateTimeOffset end, out ECDsa key)
    {
        key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        return new CertificateRequest("CN=test", key, HashAlgorithmName.SHA256).CreateSelfSigned(_now.AddDays(-1), end);
    }

    private static void Wrong(string says, Action load)
    {
        var wrong = Assert.Throws<CredentialException>(load);
        Assert.Contains(says, wrong.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', wrong.Message);
    }

    private string File(string name, string text)
    {
        var path = Path.Combine(_folder.FullName, name);
        System.IO.File.WriteAllText(path, text);
        return path;
    }
}
