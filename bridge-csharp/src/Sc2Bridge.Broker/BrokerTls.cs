using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;

namespace Sc2Bridge.Broker;

/// <summary>Whom a broker's TLS trusts, by RabbitMQ's query parameters (https://www.rabbitmq.com/docs/uri-query-parameters).</summary>
/// <param name="query">The parameters that the address has.</param>
internal sealed class BrokerTls(IReadOnlyDictionary<string, string> query)
{
    /// <summary>The parameters that are known.</summary>
    internal static readonly string[] Known = ["cacertfile", "certfile", "keyfile", "server_name_indication"];

    /// <summary>Why a host that answered is not trusted; null if each was.</summary>
    internal string? Distrusted { get; private set; }

    /// <summary>The options for a host.</summary>
    /// <exception cref="IOException">A certificate's file cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be read.</exception>
    /// <exception cref="CryptographicException">It is no certificate.</exception>
    internal SslOption For(string host)
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
            Distrusted = why ?? Distrusted;
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
