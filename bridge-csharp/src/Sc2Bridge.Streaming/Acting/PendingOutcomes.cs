using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// What became of an agent's actions, until a frame takes it along: each result goes with the first frame behind those
/// that were there when it came.
/// </summary>
internal sealed class PendingOutcomes
{
    /// <summary>The most bytes that may wait for an agent that acts and does not read.</summary>
    public const int MostBytes = 4 << 20;

    // A result's objects, so that small ones are not for nothing.
    private const int Overhead = 128;

    private readonly Queue<(ActionsOutcome Result, long After, int Bytes)> _results = new();
    private int _bytes;

    /// <summary>Puts a result behind the frames so far.</summary>
    /// <param name="result">Not changed any more.</param>
    /// <param name="after">How many frames there were.</param>
    /// <returns>False where too much waits: it was not taken.</returns>
    public bool TryEnqueue(ActionsOutcome result, long after)
    {
        var bytes = result.CalculateSize() + Overhead;
        if (bytes > MostBytes - _bytes)
        {
            return false;
        }

        _bytes += bytes;
        _results.Enqueue((result, after, bytes));
        return true;
    }

    /// <summary>Whether a frame has to take results along.</summary>
    /// <param name="before">How many frames came before it.</param>
    public bool Has(long before) => _results.TryPeek(out var first) && first.After <= before;

    /// <summary>Adds what a frame takes along, as the field <c>Frame.results</c>.</summary>
    /// <param name="own">Where to.</param>
    /// <param name="before">How many frames came before it.</param>
    public void TakeTo(IBufferWriter<byte> own, long before)
    {
        while (Has(before) && TryDequeue(out var result))
        {
            WireWriter.WriteBytes(own, V1.Frame.OutcomesFieldNumber, result.ToByteArray());
        }
    }

    /// <summary>The next result, where no frame comes any more.</summary>
    public bool TryDequeue([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out ActionsOutcome? result)
    {
        var taken = _results.TryDequeue(out var first);
        _bytes -= first.Bytes;
        result = first.Result;
        return taken;
    }

    /// <summary>Nobody reads them any more.</summary>
    public void Clear()
    {
        _results.Clear();
        _bytes = 0;
    }
}
