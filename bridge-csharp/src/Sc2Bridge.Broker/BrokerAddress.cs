using System.Globalization;
using System.Security.Cryptography;
using System.Text.RegularExpressions;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Sc2Bridge.Broker;

/// <summary>
/// Where a broker is, and who connects: a URI of RabbitMQ's, which may name several nodes of a cluster. It never shows its
/// password.
/// </summary>
/// <remarks>https://www.rabbitmq.com/docs/uri-spec and https://www.rabbitmq.com/docs/uri-query-parameters.</remarks>
public sealed partial class BrokerAddress
{
    private const int Port = 5672;
    private const int TlsPort = 5671;

    /// <summary>How long a broker may take to answer.</summary>
    internal static readonly TimeSpan Patience = TimeSpan.FromSeconds(15);

    private readonly List<(string Host, int Port)> _hosts;
    private readonly Dictionary<string, string> _query;
    private readonly string _user;
    private readonly string _password;
    private readonly string _virtualHost;
    private readonly bool _isTls;

    private BrokerAddress(Match parts, Func<string, string?> variable)
    {
        _isTls = parts.Groups["tls"].Success;
        _hosts = [.. parts.Groups["hosts"].Value.Split(',').Select(host => Host(host, _isTls ? TlsPort : Port))];
        _query = Query(parts.Groups["query"].Value);
        var hasUser = parts.Groups["user"].Success;
        _user = hasUser ? Decoded("user") : variable("SC2BRIDGE_BROKER_USER") ?? "guest";
        _password = hasUser ? Decoded("password") : variable("SC2BRIDGE_BROKER_PASSWORD") ?? "guest";
        _virtualHost = Decoded("vhost") is { Length: > 0 } named ? named : "/";

        string Decoded(string part) => Uri.UnescapeDataString(parts.Groups[part].Value);
    }

    /// <summary>Reads an address.</summary>
    /// <param name="text">As people write it.</param>
    /// <param name="variable">Gives a variable of the environment; null: this process's.</param>
    /// <exception cref="BrokerException">It is none.</exception>
    public static BrokerAddress Parse(string text, Func<string, string?>? variable = null)
    {
        ArgumentNullException.ThrowIfNull(text);
        return Address().Match(text) is { Success: true } parts
            ? new BrokerAddress(parts, variable ?? Environment.GetEnvironmentVariable)
            : throw Wrong("it begins with amqp:// or amqps://, and / ? # and @ in a user, a password and a virtual host are %2F %3F %23 %40");
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
        var tls = new BrokerTls(_query);
        try
        {
            var hosts = _hosts.Select(host => new AmqpTcpEndpoint(host.Host, host.Port, _isTls ? tls.For(host.Host) : new SslOption())).ToList();
            return await WithinAsync(factory.CreateConnectionAsync(hosts, ct), Patience, ct);
        }
        catch (Exception failure) when (failure is UnauthorizedAccessException or CryptographicException or FileNotFoundException
            or DirectoryNotFoundException)
        {
            throw new BrokerException($"{this}: a certificate cannot be read ({failure.Message})", failure);
        }
        catch (Exception failure) when (failure is not OperationCanceledException || !ct.IsCancellationRequested)
        {
            throw tls.Distrusted is { } why ? new BrokerException($"{this}: {why}", failure) : Explain(failure, "does not answer");
        }
    }

    /// <summary>Waits for a connection; one that opens later is closed.</summary>
    internal static async Task<IConnection> WithinAsync(Task<IConnection> opening, TimeSpan patience, CancellationToken ct)
    {
        try
        {
            return await opening.WaitAsync(patience, ct);
        }
        catch
        {
            _ = opening.ContinueWith(
                static late => CloseAsync(late.Result).AsTask(), CancellationToken.None,
                TaskContinuationOptions.OnlyOnRanToCompletion, TaskScheduler.Default);
            throw;
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
        var parts = Node().Match(text);
        var (host, port) = (parts.Groups["host"].Value, parts.Groups["port"]);
        var number = port.Success && ushort.TryParse(port.Value, CultureInfo.InvariantCulture, out var named) ? named : 0;
        return Uri.CheckHostName(host) != UriHostNameType.Unknown && (number > 0 || !port.Success)
            ? (host, port.Success ? number : usual)
            : throw Wrong("its host or its port is not valid");
    }

    private static Dictionary<string, string> Query(string text) => text.Split('&', StringSplitOptions.RemoveEmptyEntries)
        .Select(pair => pair.Split('=', 2)).GroupBy(pair => pair[0]).ToDictionary(
            same => same.Key,
            same => BrokerTls.Known.Contains(same.Key)
                ? Uri.UnescapeDataString(same.Last().ElementAtOrDefault(1) ?? "")
                : throw Wrong($"the known query parameters are {string.Join(", ", BrokerTls.Known)}"));

    // The text is not repeated: it may hold a password.
    private static BrokerException Wrong(string why) => new(
        $"that is no address of a broker ({why}): write amqp://HOST or amqps://USER:PASSWORD@HOST:PORT/VHOST");

    [GeneratedRegex(
        @"^amqp(?<tls>s)?://((?<user>[^:/?#]*)(:(?<password>[^/?#]*))?@)?(?<hosts>[^@/?#]+)(/(?<vhost>[^?#@]*))?(\?(?<query>[^#@]*))?\z",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Address();

    [GeneratedRegex(@"^(\[(?<host>[^\]]+)\]|(?<host>[^:]+))(:(?<port>.*))?\z")]
    private static partial Regex Node();
}
