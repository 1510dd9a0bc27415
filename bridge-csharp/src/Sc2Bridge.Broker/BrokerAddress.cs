using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Sc2Bridge.Broker;

/// <summary>
/// Where a broker is, and who connects: a URI of RabbitMQ's, which may name several nodes of a cluster. It never shows its
/// password.
/// </summary>
/// <remarks>https://www.rabbitmq.com/docs/uri-spec and https://www.rabbitmq.com/docs/uri-query-parameters.</remarks>
public sealed class BrokerAddress
{
    private const int Port = 5672;
    private const int TlsPort = 5671;
    /// <summary>How long a broker may take to answer.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    private static readonly string[] _known = ["cacertfile", "certfile", "keyfile", "server_name_indication"];

    private readonly (string Host, int Port)[] _hosts;
    private readonly Dictionary<string, string> _query;
    private readonly string _user;
    private readonly string _password;
    private readonly string _virtualHost;
    private readonly bool _isTls;

    private BrokerAddress(
        (string Host, int Port)[] hosts, Dictionary<string, string> query, string user, string password, string virtualHost,
        bool isTls) =>
        (_hosts, _query, _user, _password, _virtualHost, _isTls) = (hosts, query, user, password, virtualHost, isTls);

    /// <summary>Reads an address.</summary>
    /// <param name="text">As people write it.</param>
    /// <param name="variable">Gives a variable of the environment; null: this process's.</param>
    /// <exception cref="BrokerException">It is none.</exception>
    public static BrokerAddress Parse(string text, Func<string, string?>? variable = null)
    {
        ArgumentNullException.ThrowIfNull(text);
        variable ??= Environment.GetEnvironmentVariable;
        var isTls = text.StartsWith("amqps://", StringComparison.OrdinalIgnoreCase);
        if (!isTls && !text.StartsWith("amqp://", StringComparison.OrdinalIgnoreCase))
        {
            throw Wrong("it begins with amqp:// or amqps://");
        }

        var rest = text[(text.IndexOf("//", StringComparison.Ordinal) + 2)..];
        if (rest.IndexOfAny(['/', '?', '#']) is > 0 and var end && rest.IndexOf('@', end) > 0)
        {
            throw Wrong("write / ? # and @ in a user, a password and a virtual host as %2F %3F %23 %40");
        }

        var mark = rest.IndexOf('?', StringComparison.Ordinal);
        var query = Query(mark < 0 ? "" : rest[(mark + 1)..]);
        rest = mark < 0 ? rest : rest[..mark];
        var slash = rest.IndexOf('/', StringComparison.Ordinal);
        var virtualHost = slash < 0 ? "/" : Decode(rest[(slash + 1)..]);
        rest = slash < 0 ? rest : rest[..slash];
        var at = rest.LastIndexOf('@');
        var user = at < 0 ? null : rest[..at].Split(':', 2);
        return new BrokerAddress(
            [.. rest[(at + 1)..].Split(',').Select(host => Host(host, isTls ? TlsPort : Port))],
            query,
            user is null ? variable("SC2BRIDGE_BROKER_USER") ?? "guest" : Decode(user[0]),
            user is null ? variable("SC2BRIDGE_BROKER_PASSWORD") ?? "guest" : user.Length > 1 ? Decode(user[1]) : "",
            virtualHost.Length == 0 ? "/" : virtualHost, isTls);
    }

    /// <summary>Without user and password.</summary>
    public override string ToString() =>
        $"{(_isTls ? "amqps" : "amqp")}://{string.Join(',', _hosts.Select(host => $"{host.Host}:{host.Port}"))}"
        + (_virtualHost == "/" ? "" : $"/{Uri.EscapeDataString(_virtualHost)}");

    /// <summary>Connects to one of the nodes, whichever answers.</summary>
    /// <param name="name">What the broker's own tools show.</param>
    /// <param name="ct">Gives up.</param>
    /// <exception cref="BrokerException">None does, or it refuses.</exception>
    internal async Task<IConnection> ConnectAsync(string name, CancellationToken ct)
    {
        var factory = new ConnectionFactory
        {
            UserName = _user,
            Password = _password,
            VirtualHost = _virtualHost,
            ClientProvidedName = name,

            // What was under way is known here alone.
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedHeartbeat = TimeSpan.FromSeconds(6),
            RequestedConnectionTimeout = TimeSpan.FromSeconds(5),
            ContinuationTimeout = TimeSpan.FromSeconds(10),
        };
        string? distrusted = null;
        var hosts = _hosts.Select(host =>
            new AmqpTcpEndpoint(host.Host, host.Port, Tls(host.Host, why => distrusted = why))).ToList();
        try
        {
            return await factory.CreateConnectionAsync(hosts, ct).WaitAsync(Patience, ct);
        }
        catch (Exception failure) when (failure is not OperationCanceledException || !ct.IsCancellationRequested)
        {
            throw distrusted is null ? Explain(failure, "does not answer") : new BrokerException($"{this}: {distrusted}", failure);
        }
    }

    /// <summary>Connects, does something, and closes the connection.</summary>
    /// <exception cref="BrokerException">The broker refuses it, or goes.</exception>
    internal async Task<T> WithAsync<T>(string name, Func<IConnection, Task<T>> work, CancellationToken ct)
    {
        var connection = await ConnectAsync(name, ct);
        try
        {
            return await work(connection);
        }
        catch (Exception failure) when (failure is not BrokerException && IsBrokers(failure) && !ct.IsCancellationRequested)
        {
            throw Explain(failure, "is gone");
        }
        finally
        {
            await CloseAsync(connection);
        }
    }

    /// <summary>Whether something failed by the broker or the way to it.</summary>
    internal static bool IsBrokers(Exception failure) => failure
        is RabbitMQClientException or BrokerException or IOException or TimeoutException or ObjectDisposedException
        or OperationCanceledException;

    /// <summary>What went wrong, as one line that says what to do.</summary>
    /// <param name="failure">What the library says.</param>
    /// <param name="otherwise">What is so where the broker itself does not say why.</param>
    internal BrokerException Explain(Exception failure, string otherwise)
    {
        for (var cause = failure; cause is not null; cause = cause.InnerException)
        {
            if (cause is AuthenticationFailureException)
            {
                return new BrokerException(
                    $"{this} does not let that user in: write {(_isTls ? "amqps" : "amqp")}://USER:PASSWORD@HOST, or set "
                    + "SC2BRIDGE_BROKER_USER and SC2BRIDGE_BROKER_PASSWORD", failure);
            }

            // Of the words of AMQP 0-9-1's reply codes, the number tells which.
            if (cause is OperationInterruptedException { ShutdownReason: { Initiator: ShutdownInitiator.Peer } told })
            {
                var advice = told.ReplyCode switch
                {
                    Constants.AccessRefused => "; give the user permission for sc2bridge's queues (rabbitmqctl set_permissions)",
                    Constants.PreconditionFailed => "; delete what is there, or name another virtual host in the URL",
                    Constants.NotAllowed => "; name another virtual host in the URL, or give the user this one",
                    _ => "",
                };
                return new BrokerException($"{this} refuses: {told.ReplyText.ReplaceLineEndings(" ")}{advice}", failure);
            }
        }

        return new BrokerException($"{this} {otherwise}: {Cause(failure)}", failure);
    }

    /// <summary>Closes a connection, whatever the broker says; the library may wait for one that is gone for ever.</summary>
    internal static async ValueTask CloseAsync(IConnection? connection) => await Task.WhenAny(
        Task.Run(async () =>
        {
            await connection!.CloseAsync(200, "done", TimeSpan.FromSeconds(1), abort: true);
            await connection.DisposeAsync();
        }).ContinueWith(static closed => closed.Exception, TaskScheduler.Default),
        Task.Delay(connection is null ? TimeSpan.Zero : TimeSpan.FromSeconds(2)));

    /// <summary>The innermost reason, as one line.</summary>
    internal static string Cause(Exception failure)
    {
        // The library's own outermost messages say that none of the endpoints was reached.
        for (var inner = failure; inner is not null; inner = inner.InnerException)
        {
            failure = inner;
        }

        return failure is OperationCanceledException or TimeoutException ? "it did not answer in time" : failure.Message.ReplaceLineEndings(" ");
    }

    private static (string Host, int Port) Host(string text, int usual)
    {
        var end = text.StartsWith('[') ? text.IndexOf(']', StringComparison.Ordinal) + 1 : text.LastIndexOf(':');
        var host = end <= 0 ? text : text[..end];
        var port = text[host.Length..];
        return host.Length > 0 && Uri.CheckHostName(host.Trim('[', ']')) != UriHostNameType.Unknown
            && (port.Length == 0 || (port[0] == ':' && ushort.TryParse(port[1..], out var number) && number > 0))
            ? (host.Trim('[', ']'), port.Length == 0 ? usual : int.Parse(port[1..], System.Globalization.CultureInfo.InvariantCulture))
            : throw Wrong("its host is none, or its port");
    }

    private static Dictionary<string, string> Query(string text)
    {
        var found = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (var pair in text.Split('&', StringSplitOptions.RemoveEmptyEntries).Select(pair => pair.Split('=', 2)))
        {
            found[pair[0]] = _known.Contains(pair[0])
                ? Decode(pair.ElementAtOrDefault(1) ?? "")
                : throw Wrong($"of RabbitMQ's query parameters {string.Join(", ", _known)} are known");
        }

        return found;
    }

    private static string Decode(string text) => Uri.UnescapeDataString(text);

    // The text is not repeated: it may hold a password.
    private static BrokerException Wrong(string why) => new(
        $"that is no address of a broker ({why}): write amqp://HOST or amqps://USER:PASSWORD@HOST:PORT/VHOST");

    private SslOption Tls(string host, Action<string> distrusts)
    {
        if (!_isTls)
        {
            return new SslOption();
        }

        try
        {
            var tls = new SslOption { Enabled = true, ServerName = _query.GetValueOrDefault("server_name_indication", host) };
            if (_query.TryGetValue("certfile", out var certificate))
            {
                tls.Certs = [X509Certificate2.CreateFromPemFile(certificate, _query.GetValueOrDefault("keyfile"))];
            }

            var authorities = _query.GetValueOrDefault("cacertfile");
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
                        : "its certificate is not signed by whom this system trusts: name the signer's with ?cacertfile=FILE"
                    : IsTrusted(trusted, presented, chain) ? null : $"its certificate is not signed by whom {authorities} names";
                if (why is not null)
                {
                    distrusts(why);
                }

                return why is null;
            };
            return tls;
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or CryptographicException)
        {
            throw new BrokerException($"{this}: a certificate cannot be read ({failure.Message})", failure);
        }
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
