using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming;

/// <summary>One request and its answer, with the memory that is charged for both. Dispose it when the answer is written or no longer needed.</summary>
public sealed class HeldRequest : IDisposable
{
    // Bytes of memory for each serialized byte of an answer: its objects and its serialized form.
    private const long MemoryPerByte = 3;

    // How often ChargeDescriptionAsync checks whether enough bytes are free.
    private static readonly TimeSpan _pollInterval = TimeSpan.FromMilliseconds(100);

    private readonly ConnectionRequests _connection;
    private readonly RequestClient _client;
    private Task _gameAnswer = Task.CompletedTask;
    private IDisposable? _placeLease;
    private long _bytes;
    private long _chargedShare;

    internal HeldRequest(ConnectionRequests connection, RequestClient client) => (_connection, _client) = (connection, client);

    /// <summary>Charges the memory of the game's answer until this object is disposed.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: too many bytes wait already.</exception>
    public T ChargeAnswer<T>(T answer)
        where T : IMessage => TryCharge(MemoryPerByte * answer.CalculateSize(), requiredFree: 1) ? answer : throw ConnectionRequests.Refused(
            "too many bytes of answers wait for clients that do not read them: ask again later, or about less");

    /// <summary>
    /// Waits until memory is free, then charges the description's serialized form until this object is disposed. Waits instead of failing,
    /// because many clients request the description when a match starts. The description's objects are not charged: all clients share them.
    /// </summary>
    public async Task<DescribeResponse> ChargeDescriptionAsync(DescribeResponse answer, CancellationToken ct)
    {
        var bytes = answer.CalculateSize();
        while (!TryCharge(bytes, requiredFree: 1))
        {
            await Task.Delay(_pollInterval, ct);
        }

        return answer;
    }

    /// <inheritdoc/>
    public void Dispose() => _ = ReleaseAsync();

    /// <summary>Sends the request to the game when enough places are free in the client's window for the side.</summary>
    internal Task<Response> SendAsync(uint perspective, int places, Func<Task<Response>> askAsync, CancellationToken ct)
    {
        var answer = _connection.WindowOf(perspective, _client).BeginAsync(
            places,
            place =>
            {
                _placeLease = place;
                return askAsync();
            },
            ct);
        _gameAnswer = answer;
        return answer.WaitAsync(ct);
    }

    /// <summary>Charges bytes if enough bytes are free.</summary>
    internal bool TryCharge(long bytes, long requiredFree)
    {
        var isAdded = _connection.TryCharge(bytes, requiredFree, _client, out var chargedShare);
        if (isAdded)
        {
            _bytes += bytes;
            _chargedShare += chargedShare;
        }

        return isAdded;
    }

    // Waits for the game's answer first, because the game also answers a request that the client has cancelled.
    private async Task ReleaseAsync()
    {
        await _gameAnswer.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _connection.Remove(_bytes, _chargedShare, _client);
        _placeLease?.Dispose();
    }
}
