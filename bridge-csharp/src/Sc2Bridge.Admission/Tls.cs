using System.Net;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.AspNetCore.Server.Kestrel.Https;

namespace Sc2Bridge.Admission;

/// <summary>The certificate that a server shows, and whose clients it accepts.</summary>
public sealed class Tls
{
    // A made certificate is one match's, or a long series'.
    private static readonly TimeSpan SelfSignedLife = TimeSpan.FromDays(365);

    // Clocks of other machines may be behind.
    private static readonly TimeSpan ClockSlack = TimeSpan.FromHours(1);

    private Tls(
        X509Certificate2 certificate, X509Certificate2Collection chain, X509Certificate2Collection? clientCa) =>
        (Certificate, Chain, ClientCa) = (certificate, chain, clientCa);

    /// <summary>With its key.</summary>
    public X509Certificate2 Certificate { get; }

    /// <summary>Those between it and the root, sent along.</summary>
    public X509Certificate2Collection Chain { get; }

    /// <summary>Who may have signed the clients' certificates; null: clients need none.</summary>
    public X509Certificate2Collection? ClientCa { get; }

    /// <summary>What clients pin: <c>sha256:</c> and 64 hexadecimal digits.</summary>
    public string Fingerprint => $"sha256:{Convert.ToHexStringLower(SHA256.HashData(Certificate.RawData))}";

    /// <summary>Reads a certificate: PEM, with its chain and its key or the key in a file of its own, or PFX.</summary>
    /// <param name="certificate">The file.</param>
    /// <param name="key">The key's file; null where the certificate's has it.</param>
    /// <param name="password">The PFX's or the key's; null for none.</param>
    /// <param name="clientCa">As <see cref="ClientCa"/>.</param>
    /// <param name="now">A certificate is to be valid then.</param>
    /// <exception cref="CredentialException">It cannot be used, with the reason.</exception>
    public static Tls Load(
        string certificate, string? key, string? password, X509Certificate2Collection? clientCa, DateTimeOffset now)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        var tls = Reading(certificate, key, () => IsPem(certificate)
            ? OfPem(certificate, key ?? certificate, password, clientCa)
            : key is null
                ? OfPfx(X509CertificateLoader.LoadPkcs12CollectionFromFile(
                    certificate, password, X509KeyStorageFlags.Exportable), clientCa)
                : throw new CredentialException(
                    $"{certificate} is no PEM file: a PFX file holds its key, so leave out --tls-key"));
        return tls.Certificate.NotAfter.ToUniversalTime() <= now.UtcDateTime
            ? throw new CredentialException(
                $"the certificate in {certificate} has expired on {tls.Certificate.NotAfter.ToUniversalTime():yyyy-MM-dd}: "
                + "renew it")
            : tls.Certificate.NotBefore.ToUniversalTime() > now.UtcDateTime
                ? throw new CredentialException(
                    $"the certificate in {certificate} begins on "
                    + $"{tls.Certificate.NotBefore.ToUniversalTime():yyyy-MM-dd}: check this machine's clock")
                : tls;
    }

    /// <summary>Makes a certificate for this machine. Its key is in memory only.</summary>
    /// <param name="hosts">Names and addresses that it is for, beside the machine's own.</param>
    /// <param name="clientCa">As <see cref="ClientCa"/>.</param>
    /// <param name="now">It is valid from an hour before that on.</param>
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

        // A root of its own, so that clients can trust the file that holds it.
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, true, 0, true));
        request.CertificateExtensions.Add(new X509KeyUsageExtension(
            X509KeyUsageFlags.DigitalSignature | X509KeyUsageFlags.KeyCertSign, critical: true));
        request.CertificateExtensions.Add(new X509EnhancedKeyUsageExtension([new Oid("1.3.6.1.5.5.7.3.1")], critical: false));
        using var made = request.CreateSelfSigned(now - ClockSlack, now + SelfSignedLife);
        return new Tls(WithLastingKey(made), [], clientCa);
    }

    /// <summary>The certificates of a file in PEM, which have signed those of clients.</summary>
    /// <exception cref="CredentialException">It cannot be read, or has none.</exception>
    public static X509Certificate2Collection LoadClientCa(string path)
    {
        var found = new X509Certificate2Collection();
        Reading(path, null, () =>
        {
            found.ImportFromPemFile(path);
            return found;
        });
        return found.Count > 0
            ? found
            : throw new CredentialException($"{path} has no certificate in PEM: name the file of those who sign your clients'");
    }

    /// <summary>Has an address speak TLS.</summary>
    public void Use(ListenOptions listen)
    {
        ArgumentNullException.ThrowIfNull(listen);
        var https = new HttpsConnectionAdapterOptions
        {
            ServerCertificate = Certificate,
            ServerCertificateChain = Chain,

            // As long as a client waits for its connection: on a machine that starts a dozen agents, 10 s are too short.
            HandshakeTimeout = TimeSpan.FromSeconds(30),
        };
        if (ClientCa is not null)
        {
            https.ClientCertificateMode = ClientCertificateMode.RequireCertificate;
            https.OnAuthenticate = (_, handshake) => handshake.CertificateChainPolicy = PolicyForClients();
        }

        listen.UseHttps(https);
    }

    // Clients' certificates are signed by one of ClientCa; those between are sent along, or are in its file.
    private X509ChainPolicy PolicyForClients()
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,

            // A stranger's certificate may name any address for what it lacks: nothing is fetched from there.
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
        // ENCRYPTED, RSA and EC PRIVATE KEY too.
        if (!File.ReadAllText(key).Contains("PRIVATE KEY-----", StringComparison.Ordinal))
        {
            throw new CredentialException($"{key} has no private key: name the file that has it with --tls-key");
        }

        using var leaf = password is null
            ? X509Certificate2.CreateFromPemFile(certificate, key)
            : X509Certificate2.CreateFromEncryptedPemFile(certificate, password, key);
        var chain = new X509Certificate2Collection();
        chain.ImportFromPemFile(certificate);
        chain.RemoveAt(0);
        return new Tls(WithLastingKey(leaf), chain, clientCa);
    }

    private static Tls OfPfx(X509Certificate2Collection all, X509Certificate2Collection? clientCa)
    {
        var leaf = all.FirstOrDefault(one => one.HasPrivateKey) ?? throw new CryptographicException("it holds no key");
        all.Remove(leaf);
        return new Tls(leaf, all, clientCa);
    }

    // Windows cannot use a key that is in memory only.
    private static X509Certificate2 WithLastingKey(X509Certificate2 made) =>
        X509CertificateLoader.LoadPkcs12(made.Export(X509ContentType.Pkcs12), null, X509KeyStorageFlags.Exportable);

    private static T Reading<T>(string path, string? key, Func<T> read)
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
