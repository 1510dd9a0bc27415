using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker;

/// <summary>TLS options from RabbitMQ's query parameters (https://www.rabbitmq.com/docs/uri-query-parameters).</summary>
/// <param name="query">The address's query parameters.</param>
internal sealed class BrokerTls(IReadOnlyDictionary<string, string> query)
{
    /// <summary>The supported query parameters.</summary>
    internal static readonly string[] KnownParameters = ["cacertfile", "certfile", "keyfile", "server_name_indication"];

    /// <summary>Why the certificate of a host was rejected; null if no certificate was rejected.</summary>
    internal string? RejectionReason { get; private set; }

    /// <summary>The TLS options for a host.</summary>
    /// <exception cref="IOException">The file of a certificate cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">The file of a certificate cannot be read.</exception>
    /// <exception cref="CryptographicException">A file does not contain a valid certificate.</exception>
    internal SslOption OptionsFor(string host)
    {
        var tls = new SslOption { Enabled = true, ServerName = query.GetValueOrDefault("server_name_indication", host) };
        if (query.TryGetValue("certfile", out var certificate))
        {
            tls.Certs = [X509Certificate2.CreateFromPemFile(certificate, query.GetValueOrDefault("keyfile"))];
        }

        var authorities = query.GetValueOrDefault("cacertfile");
        X509Certificate2Collection trusted = [];
        if (authorities is not null)
        {
            trusted.ImportFromPemFile(authorities);
        }

        tls.CertificateValidationCallback = (_, presented, chain, problems) =>
        {
            var why = (problems & SslPolicyErrors.RemoteCertificateNameMismatch) != 0 ? $"its certificate is not for {tls.ServerName}: "
                    + "name the host as the certificate does, or give that name with ?server_name_indication=NAME"
                : authorities is null
                    ? problems == SslPolicyErrors.None ? null
                    : "its certificate is not signed by an authority that this system trusts: name the authority with ?cacertfile=FILE"
                : IsTrusted(trusted, presented, chain) ? null
                : $"its certificate is not signed by an authority in {authorities}: add the authority to that file";
            RejectionReason = why ?? RejectionReason;
            return why is null;
        };
        return tls;
    }

    private static bool IsTrusted(X509Certificate2Collection trusted, X509Certificate? presented, X509Chain? sent)
    {
        if (presented is null)
        {
            return false;
        }

        using var chain = new X509Chain();
        chain.ChainPolicy.ExtraStore.AddRange(sent?.ChainPolicy.ExtraStore ?? []);
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.CustomTrustStore.AddRange(trusted);
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        using var certificate = new X509Certificate2(presented);
        return chain.Build(certificate);
    }
}
