using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Server;

/// <summary>
/// Bounds and charges the memory of one connection's requests, from their arrival until their answers are written. Thread-safe.
/// </summary>
internal sealed class HeldRequests(MemoryLedger memory)
{
    /// <summary>The bytes that are always accepted of a connection: some thousand placements, or as many answers.</summary>
    public const long AlwaysHeld = 256 << 10;

    private long _held;

    /// <summary>The connection's bytes.</summary>
    public long Bytes => Interlocked.Read(ref _held);

    /// <summary>Whether the requests and answers of all connections take as much as they may.</summary>
    public bool IsFull => memory[MemoryAccount.Requests] > memory.Ceiling / 8;

    /// <summary>More is held, or less.</summary>
    public void Add(long bytes)
    {
        Interlocked.Add(ref _held, bytes);
        memory.Add(MemoryAccount.Requests, bytes);
    }
}

/// <summary>The memory of one request and its answer. The owner disposes it when the answer is written or given up.</summary>
internal sealed class HeldRequest(HeldRequests all) : IDisposable
{
    // A replay fits that is as long as a message may be.
    private const long MostOfOne = 8 << 20;

    // An answer's objects, and their serialized form, take about so many times its bytes.
    private const long MemoryPerByte = 3;

    private long _bytes;

    /// <summary>The request has arrived.</summary>
    /// <exception cref="RequestRefusedException">RESOURCE_EXHAUSTED: it takes too much, or too much waits already.</exception>
    public void Take(IMessage request)
    {
        Add(ParsedMemory.Of(request, MostOfOne));
        if (_bytes > MostOfOne)
        {
            throw Refused($"the request takes more than {MostOfOne >> 20} MiB of memory: ask about less in one request");
        }

        if (all.IsFull && all.Bytes > HeldRequests.AlwaysHeld)
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
        if (all.IsFull && bytes > HeldRequests.AlwaysHeld)
        {
            throw Refused("too many bytes of answers wait for clients that do not read them: ask again later, or about less");
        }

        Add(bytes);
        return answer;
    }

    /// <inheritdoc/>
    public void Dispose() => Add(-_bytes);

    private static RequestRefusedException Refused(string why) => new(StatusCode.ResourceExhausted, why);

    private void Add(long bytes)
    {
        _bytes += bytes;
        all.Add(bytes);
    }
}
