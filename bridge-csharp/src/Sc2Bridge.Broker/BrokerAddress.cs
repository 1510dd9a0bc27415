using System.Globalization;
using System.Security.Cryptography;
using System.Text.RegularExpressions;
using RabbitMQ.Client;
using RabbitMQ.Client.Exceptions;

namespace Sc2Bridge.Broker;

/// <summary>
/// The address of a broker and the credentials of the user, from a RabbitMQ URI. The URI may list several nodes of a cluster.
/// The password is never printed.
/// </summary>
/// <remarks>https://www.rabbitmq.com/docs/uri-spec and https://www.rabbitmq.com/docs/uri-query-parameters.</remarks>
public sealed partial class BrokerAddress
{
    private const int Port = 5672;
    private const int TlsPort = 5671;

    /// <summary>The time limit for an answer of the broker.</summary>
    internal static readonly TimeSpan AnswerTimeout = TimeSpan.FromSeconds(15);

    private readonly List<(string Host, int Port)> _hosts;
    private readonly Dictionary<string, string> _query;
    private readonly string _user;
    private readonly string _password;
    private readonly string _virtualHost;
    private readonly bool _isTls;

    private BrokerAddress(Match parts, Func<string, string?> variable)
    {
        _isTls = parts.Groups["tls"].Success;
        _hosts = [.. parts.Groups["hosts"].Value.Split(',').Select(host => ParseHost(host, _isTls ? TlsPort : Port))];
        _query = ParseQuery(parts.Groups["query"].Value);
        var hasUser = parts.Groups["user"].Success;
        _user = hasUser ? Decoded("user") : variable("SC2BRIDGE_BROKER_USER") ?? "guest";
        _password = hasUser ? Decoded("password") : variable("SC2BRIDGE_BROKER_PASSWORD") ?? "guest";
        _virtualHost = Decoded("vhost") is { Length: > 0 } virtualHost ? virtualHost : "/";

        string Decoded(string part) => Uri.UnescapeDataString(parts.Groups[part].Value);
    }

    /// <summary>Parses an address.</summary>
    /// <param name="text">The URI, as the user wrote it.</param>
    /// <param name="variable">Looks up an environment variable; null to use this process's environment.</param>
    /// <exception cref="BrokerException">The text is not a valid address.</exception>
    public static BrokerAddress Parse(string text, Func<string, string?>? variable = null)
    {
        ArgumentNullException.ThrowIfNull(text);
        return Address().Match(text) is { Success: true } parts
            ? new BrokerAddress(parts, variable ?? Environment.GetEnvironmentVariable)
            : throw InvalidAddress("it must begin with amqp:// or amqps://; in a user, a password and a virtual host, write / ? # and @ as %2F %3F %23 %40");
    }

    /// <summary>The address without user and password.</summary>
    public override string ToString() =>
        $"{(_isTls ? "amqps" : "amqp")}://{string.Join(',', _hosts.Select(host => $"{host.Host}:{host.Port}"))}"
        + (_virtualHost == "/" ? "" : $"/{Uri.EscapeDataString(_virtualHost)}");

    /// <summary>Connects to the first node that answers.</summary>
    /// <param name="name">The connection's name in the broker's management tools.</param>
    /// <param name="ct">Cancels the attempt.</param>
    /// <exception cref="BrokerException">No node answers, or the broker refuses the connection.</exception>
    internal async Task<IConnection> ConnectAsync(string name, CancellationToken ct)
    {
        var factory = new ConnectionFactory
        {
            UserName = _user,
            Password = _password,
            VirtualHost = _virtualHost,
            ClientProvidedName = name,

            // The callers reconnect, because the library does not know which messages must be sent again.
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedHeartbeat = TimeSpan.FromSeconds(6),
            RequestedConnectionTimeout = TimeSpan.FromSeconds(5),
            ContinuationTimeout = TimeSpan.FromSeconds(10),
        };
        var tls = new BrokerTls(_query);
        try
        {
            var hosts = _hosts.Select(host => new AmqpTcpEndpoint(host.Host, host.Port, _isTls ? tls.OptionsFor(host.Host) : new SslOption())).ToList();
            return await WaitOrCloseAsync(factory.CreateConnectionAsync(hosts, ct), AnswerTimeout, ct);
        }
        catch (Exception failure) when (failure is UnauthorizedAccessException or CryptographicException or FileNotFoundException
            or DirectoryNotFoundException)
        {
            throw new BrokerException($"{this}: a certificate cannot be read ({failure.Message}): check cacertfile, certfile and keyfile in the URL", failure);
        }
        catch (Exception failure) when (failure is not OperationCanceledException || !ct.IsCancellationRequested)
        {
            throw tls.RejectionReason is { } why ? new BrokerException($"{this}: {why}", failure) : Explain(failure, "does not answer");
        }
    }

    /// <summary>Waits for a connection. A connection that opens after the time limit is closed.</summary>
    internal static async Task<IConnection> WaitOrCloseAsync(Task<IConnection> opening, TimeSpan timeout, CancellationToken ct)
    {
        try
        {
            return await opening.WaitAsync(timeout, ct);
        }
        catch
        {
            _ = opening.ContinueWith(
                static opened => CloseAsync(opened.Result).AsTask(), CancellationToken.None,
                TaskContinuationOptions.OnlyOnRanToCompletion, TaskScheduler.Default);
            throw;
        }
    }

    /// <summary>Connects, runs some work, and closes the connection.</summary>
    /// <exception cref="BrokerException">The broker refuses an operation, or the connection is lost.</exception>
    internal async Task<T> RunConnectedAsync<T>(string name, Func<IConnection, Task<T>> work, CancellationToken ct)
    {
        var connection = await ConnectAsync(name, ct);
        try
        {
            return await work(connection);
        }
        catch (Exception failure) when (failure is not BrokerException && IsBrokerFailure(failure) && !ct.IsCancellationRequested)
        {
            throw Explain(failure, "is no longer reachable");
        }
        finally
        {
            await CloseAsync(connection);
        }
    }

    /// <summary>Whether the broker or the network caused a failure.</summary>
    internal static bool IsBrokerFailure(Exception failure) => failure
        is RabbitMQClientException or BrokerException or IOException or TimeoutException or ObjectDisposedException
        or OperationCanceledException;

    /// <summary>Turns a failure into one line that names the problem and, if possible, the remedy.</summary>
    /// <param name="failure">The library's exception.</param>
    /// <param name="otherwise">The problem to report if the broker gave no reason.</param>
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

            // The reply text of AMQP 0-9-1 varies. The reply code identifies the reason.
            if (cause is OperationInterruptedException { ShutdownReason: { Initiator: ShutdownInitiator.Peer } reason })
            {
                var advice = reason.ReplyCode switch
                {
                    Constants.AccessRefused => "; give the user permission for sc2bridge's queues (rabbitmqctl set_permissions)",
                    Constants.PreconditionFailed => "; delete the queue or stream that exists already, or name another virtual host in the URL",
                    Constants.NotAllowed => "; name another virtual host in the URL, or give the user permission for this one",
                    _ => "",
                };
                return new BrokerException($"{this} refuses: {reason.ReplyText.ReplaceLineEndings(" ")}{advice}", failure);
            }
        }

        return new BrokerException($"{this} {otherwise}: {InnermostMessage(failure).TrimEnd('.')}; check that the broker runs, and that host and port are right", failure) { IsUnreachable = true };
    }

    /// <summary>Closes a connection and ignores errors. The library can wait forever for a lost connection, so this method waits at most 2 s.</summary>
    internal static async ValueTask CloseAsync(IConnection? connection) => await Task.WhenAny(
        Task.Run(async () =>
        {
            await connection!.CloseAsync(200, "done", TimeSpan.FromSeconds(1), abort: true);
            await connection.DisposeAsync();
        }).ContinueWith(static closed => closed.Exception, TaskScheduler.Default),
        Task.Delay(connection is null ? TimeSpan.Zero : TimeSpan.FromSeconds(2)));

    /// <summary>Returns the message of the innermost exception as one line. For a timeout, returns a fixed text.</summary>
    internal static string InnermostMessage(Exception failure)
    {
        // The library's outer exceptions say only that no endpoint was reachable.
        for (var inner = failure; inner is not null; inner = inner.InnerException)
        {
            failure = inner;
        }

        return failure is OperationCanceledException or TimeoutException ? "it did not answer in time" : failure.Message.ReplaceLineEndings(" ");
    }

    private static (string Host, int Port) ParseHost(string text, int defaultPort)
    {
        var parts = Node().Match(text);
        var (host, port) = (parts.Groups["host"].Value, parts.Groups["port"]);
        var number = port.Success && ushort.TryParse(port.Value, CultureInfo.InvariantCulture, out var named) ? named : 0;
        return Uri.CheckHostName(host) != UriHostNameType.Unknown && (number > 0 || !port.Success)
            ? (host, port.Success ? number : defaultPort)
            : throw InvalidAddress("its host or its port is not valid");
    }

    private static Dictionary<string, string> ParseQuery(string text) => text.Split('&', StringSplitOptions.RemoveEmptyEntries)
        .Select(pair => pair.Split('=', 2)).GroupBy(pair => pair[0]).ToDictionary(
            same => same.Key,
            same => BrokerTls.KnownParameters.Contains(same.Key)
                ? Uri.UnescapeDataString(same.Last().ElementAtOrDefault(1) ?? "")
                : throw InvalidAddress($"the known query parameters are {string.Join(", ", BrokerTls.KnownParameters)}"));

    // The error does not repeat the user's text, because the text may contain a password.
    private static BrokerException InvalidAddress(string why) => new(
        $"invalid broker address ({why}): write amqp://HOST or amqps://USER:PASSWORD@HOST:PORT/VHOST");

    [GeneratedRegex(
        @"^amqp(?<tls>s)?://((?<user>[^:/?#]*)(:(?<password>[^/?#]*))?@)?(?<hosts>[^@/?#]+)(/(?<vhost>[^?#@]*))?(\?(?<query>[^#@]*))?\z",
        RegexOptions.IgnoreCase | RegexOptions.CultureInvariant)]
    private static partial Regex Address();

    [GeneratedRegex(@"^(\[(?<host>[^\]]+)\]|(?<host>[^:]+))(:(?<port>.*))?\z")]
    private static partial Regex Node();
}
