using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.Streaming;

/// <summary>One request, its answer, and their memory. The owner disposes it when the answer is written or given up.</summary>
public sealed class HeldRequest : IDisposable
{
    // A replay fits that is as long as a message may be.
    private const long MostOfOne = 8 << 20;

    // An answer's objects, and their serialized form, take about so many times its bytes.
    private const long MemoryPerByte = 3;

    private readonly ConnectionRequests _connection;
    private readonly bool _onlyWatches;
    private IDisposable? _place;
    private long _bytes;

    internal HeldRequest(ConnectionRequests connection, bool onlyWatches) => (_connection, _onlyWatches) = (connection, onlyWatches);

    /// <summary>Charges the request's memory.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it takes too much, or too much waits already.</exception>
    public void Charge(IMessage request)
    {
        Add(ParsedMemory.Of(request, MostOfOne));
        if (_bytes > MostOfOne)
        {
            throw Refused($"the request takes more than {MostOfOne >> 20} MiB of memory: ask about less in one request");
        }

        if (!_connection.HasRoom(_onlyWatches))
        {
            throw Refused("too many bytes of requests wait for their answers: wait for an answer, then send this request again");
        }
    }

    /// <summary>Its answer is made, and waits to be written.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: too much waits already.</exception>
    public T Answered<T>(T answer)
        where T : IMessage
    {
        var bytes = MemoryPerByte * answer.CalculateSize();
        if (!_connection.HasRoom(bytes, _onlyWatches))
        {
            throw Refused("too many bytes of answers wait for clients that do not read them: ask again later, or about less");
        }

        Add(bytes);
        return answer;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        Add(-_bytes);
        _place?.Dispose();
    }

    /// <summary>Asks the game when the connection has few requests of this side in flight.</summary>
    internal Task<Response> AskAsync(uint perspective, int places, Func<Task<Response>> askAsync, CancellationToken ct) =>
        _connection.Of(perspective).BeginAsync(
            places,
            place =>
            {
                _place = place;
                return askAsync();
            },
            ct);

    private static RequestRefusedException Refused(string why) => new(StatusCode.ResourceExhausted, why);

    private void Add(long bytes)
    {
        _bytes += bytes;
        _connection.Add(bytes, _onlyWatches);
    }
}
