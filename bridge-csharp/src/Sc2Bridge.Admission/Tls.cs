using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Sc2Bridge.Admission;

/// <summary>A server's certificate, and the authorities that sign its clients' certificates.</summary>
public sealed class Tls
{
    // A generated certificate must also last for a long series of matches.
    private static readonly TimeSpan SelfSignedLife = TimeSpan.FromDays(365);

    // The clock of a client's machine may be behind this machine's clock.
    private static readonly TimeSpan ClockSlack = TimeSpan.FromHours(1);

    private Tls(
        X509Certificate2 certificate, X509Certificate2Collection chain, X509Certificate2Collection? clientCa) =>
        (Certificate, Chain, ClientCa) = (certificate, chain, clientCa);

    /// <summary>The certificate with its key.</summary>
    public X509Certificate2 Certificate { get; }

    /// <summary>The certificates between the server's certificate and its root. Clients receive these certificates too.</summary>
    public X509Certificate2Collection Chain { get; }

    /// <summary>The authorities that sign the clients' certificates; null: clients need no certificate.</summary>
    public X509Certificate2Collection? ClientCa { get; }

    /// <summary>The fingerprint that clients pin: <c>sha256:</c> and 64 hexadecimal digits.</summary>
    public string Fingerprint => $"sha256:{Convert.ToHexStringLower(SHA256.HashData(Certificate.RawData))}";

    /// <summary>Reads a certificate from a PFX file, or from a PEM file with its chain and key. A PEM key may be in a separate file.</summary>
    /// <param name="certificate">The certificate's file.</param>
    /// <param name="key">The key's file; null if the certificate's file contains the key.</param>
    /// <param name="password">The password of the PFX file or of the key; null for none.</param>
    /// <param name="clientCa">See <see cref="ClientCa"/>.</param>
    /// <param name="now">The time at which the certificate must be valid.</param>
    /// <exception cref="CredentialException">The certificate cannot be used. The message has the reason.</exception>
    public static Tls Load(
        string certificate, string? key, string? password, X509Certificate2Collection? clientCa, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        var tls = ReadWithClearErrors(certificate, key, () => IsPem(certificate)
            ? OfPem(certificate, key ?? certificate, password, clientCa)
            : key is null
                ? OfPfx(X509CertificateLoader.LoadPkcs12CollectionFromFile(
                    certificate, password, X509KeyStorageFlags.Exportable), clientCa)
                : throw new CredentialException(
                    $"{certificate} is not a PEM file: a PFX file contains its key, so leave out --tls-key"));
        return tls.Certificate.NotAfter.ToUniversalTime() <= now.UtcDateTime
            ? throw new CredentialException(
                $"the certificate in {certificate} expired on {tls.Certificate.NotAfter.ToUniversalTime():yyyy-MM-dd}: "
                + "renew it")
            : tls.Certificate.NotBefore.ToUniversalTime() > now.UtcDateTime
                ? throw new CredentialException(
                    $"the certificate in {certificate} is not valid before "
                    + $"{tls.Certificate.NotBefore.ToUniversalTime():yyyy-MM-dd}: check this machine's clock")
                : tls;
    }

    /// <summary>Generates a certificate for this machine. Its key stays in memory.</summary>
    /// <param name="hosts">Names and addresses in the certificate, in addition to the machine's own names and addresses.</param>
    /// <param name="clientCa">See <see cref="ClientCa"/>.</param>
    /// <param name="now">The current time. The certificate is valid from one hour before this time.</param>
    public static Tls SelfSigned(IEnumerable<string> hosts, X509Certificate2Collection? clientCa, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(hosts);
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=sc2bridge", key, HashAlgorithmName.SHA256);
        var names = new SubjectAlternativeNameBuilder();
        string[] local = ["localhost", "127.0.0.1", "::1", Environment.MachineName];
        foreach (var host in hosts.Concat(local).Concat(MachineAddresses.Find().Select(one => $"{one}")).Distinct())
        {
            if (IPAddress.TryParse(host.Trim('[', ']'), out var address))
            {
                names.AddIpAddress(address);
            }
            else if (Uri.CheckHostName(host) == UriHostNameType.Dns)
            {
                names.AddDnsName(host);
            }
        }

        request.CertificateExtensions.Add(names.Build());

        // The certificate is its own root, so that clients can trust the file that contains it.
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, true, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(
            X509KeyUsageFlags.DigitalSignature | X509KeyUsageFlags.KeyCertSign, critical: true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.1")], critical: false));
        using var made = request.CreateSelfSigned(now - ClockSlack, now + SelfSignedLife);
        return new Tls(WithStoredKey(made), [], clientCa);
    }

    /// <summary>Reads a PEM file with the certificates of authorities that sign clients' certificates.</summary>
    /// <exception cref="CredentialException">The file cannot be read, or contains no certificate.</exception>
    public static X509Certificate2Collection LoadClientCa(string path)
    {
        var found = new X509Certificate2Collection();
        ReadWithClearErrors(path, null, () =>
        {
            found.ImportFromPemFile(path);
            return found;
        });
        return found.Count > 0
            ? found
            : throw new CredentialException($"{path} contains no PEM certificate: name the file of the authority that signs clients' certificates");
    }

    /// <summary>Enables TLS at an address.</summary>
    public void EnableOn(ListenOptions listen)
    {
        ArgumentNullException.ThrowIfNull(listen);
        var https = new HttpsConnectionAdapterOptions
        {
            ServerCertificate = Certificate,
            ServerCertificateChain = Chain,

            // The most time for a TLS handshake. On a machine that starts a dozen agents, 10 s are too short.
            HandshakeTimeout = TimeSpan.FromSeconds(30),
        };
        if (ClientCa is not null)
        {
            https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            https.OnAuthenticate = (_, handshake) => handshake.CertificateChainPolicy = PolicyForClients();
        }

        listen.UseHttps(https);
    }

    // ClientCa contains the roots of the clients' certificates. The client sends the intermediate certificates, or ClientCa contains them too.
    private X509ChainPolicy PolicyForClients()
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,

            // A stranger's certificate may name any address for missing certificates, so nothing is downloaded.
            DisableCertificateDownloads = true,
        };
        policy.CustomTrustStore.AddRange(ClientCa!);
        policy.ApplicationPolicy.Add(new Oid("1.3.6.1.5.5.7.3.2"));
        return policy;
    }

    private static bool IsPem(string path) =>
        File.ReadAllText(path).Contains("-----BEGIN ", StringComparison.Ordinal);

    private static Tls OfPem(
        string certificate, string key, string? password, X509Certificate2Collection? clientCa)
    {
        // This text also matches ENCRYPTED, RSA and EC PRIVATE KEY.
        if (!File.ReadAllText(key).Contains("PRIVATE KEY-----", StringComparison.Ordinal))
        {
            throw new CredentialException($"{key} contains no private key: name the file of the key with --tls-key");
        }

        using var leaf = password is null
            ? X509Certificate2.CreateFromPemFile(certificate, key)
            : X509Certificate2.CreateFromEncryptedPemFile(certificate, password, key);
        var chain = new X509Certificate2Collection();
        chain.ImportFromPemFile(certificate);
        chain.RemoveAt(0);
        return new Tls(WithStoredKey(leaf), chain, clientCa);
    }

    private static Tls OfPfx(X509Certificate2Collection all, X509Certificate2Collection? clientCa)
    {
        var leaf = all.FirstOrDefault(one => one.HasPrivateKey) ?? throw new CryptographicException("it contains no private key");
        all.Remove(leaf);
        return new Tls(leaf, all, clientCa);
    }

    // Windows cannot use a key that is in memory only.
    private static X509Certificate2 WithStoredKey(X509Certificate2 made) =>
        X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pkcs12), null, X509KeyStorageFlags.Exportable);

    private static T ReadWithClearErrors<T>(string path, string? key, Func<T> read)
    {
        try
        {
            return read();
        }
        catch (CredentialException)
        {
            throw;
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            throw new CredentialException($"the certificate cannot be read: {problem.Message}", problem);
        }
        catch (Exception problem) when (problem is CryptographicException or ArgumentException)
        {
            var files = key is null ? path : $"{path} with the key in {key}";
            throw new CredentialException(
                $"{files} cannot be used: {problem.Message.Split('\n')[0].TrimEnd('.')} (a password is read from "
                + "SC2BRIDGE_TLS_PASSWORD)", problem);
        }
    }
}
