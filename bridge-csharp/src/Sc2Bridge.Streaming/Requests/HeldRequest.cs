using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>One request, its answer, and their memory. The owner disposes it when the answer is written or given up.</summary>
public sealed class HeldRequest : IDisposable
{
    // The memory of an answer's objects and of its serialized form, for each byte.
    private const long MemoryPerByte = 3;

    // How long a description waits before it looks for room again.
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(100);

    private readonly ConnectionRequests _connection;
    private readonly RequestClient _client;
    private Task _asked = Task.CompletedTask;
    private IDisposable? _place;
    private long _bytes;
    private long _taken;

    internal HeldRequest(ConnectionRequests connection, RequestClient client) => (_connection, _client) = (connection, client);

    /// <summary>Charges the game's answer until it is written.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: too much waits already.</exception>
    public T Answered<T>(T answer)
        where T : IMessage => TryAdd(MemoryPerByte * answer.CalculateSize(), free: 1) ? answer : throw ConnectionRequests.Refused(
            "too many bytes of answers wait for clients that do not read them: ask again later, or about less");

    /// <summary>
    /// Waits until there is room for a description, then charges its serialized form until it is written. At the beginning of a match
    /// many clients get one. They share its objects.
    /// </summary>
    public async Task<DescribeResponse> DescribedAsync(DescribeResponse answer, CancellationToken ct)
    {
        var bytes = answer.CalculateSize();
        while (!TryAdd(bytes, free: 1))
        {
            await Task.Delay(_look, ct);
        }

        return answer;
    }

    /// <inheritdoc/>
    public void Dispose() => _ = ReleaseAsync();

    /// <summary>Asks the game when few requests of this side are in flight.</summary>
    internal Task<Response> AskAsync(uint perspective, int places, Func<Task<Response>> askAsync, CancellationToken ct)
    {
        var asked = _connection.Of(perspective, _client).BeginAsync(
            places,
            place =>
            {
                _place = place;
                return askAsync();
            },
            ct);
        _asked = asked;
        return asked.WaitAsync(ct);
    }

    /// <summary>Charges bytes, if there is room for them.</summary>
    internal bool TryAdd(long bytes, long free)
    {
        var isAdded = _connection.TryAdd(bytes, free, _client, out var taken);
        if (isAdded)
        {
            _bytes += bytes;
            _taken += taken;
        }

        return isAdded;
    }

    // The game has the request until it answers, also if the client gave up.
    private async Task ReleaseAsync()
    {
        await _asked.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _connection.Remove(_bytes, _taken, _client);
        _place?.Dispose();
    }
}
