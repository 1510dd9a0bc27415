using System.Buffers;
using Google.Protobuf;
using Sc2Bridge.Protocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Streaming.Acting;

/// <summary>
/// Outcomes of an agent's actions that wait for a frame: each goes with the first frame after those that were queued
/// when it came.
/// </summary>
internal sealed class PendingOutcomes
{
    /// <summary>The most bytes of outcomes that may wait, for an agent that acts and does not read.</summary>
    public const int MostBytes = 4 << 20;

    // Memory of an outcome's objects, so that small ones count too.
    private const int Overhead = 128;

    private readonly Queue<(ActionsOutcome Result, long After, int Bytes)> _results = new();
    private int _bytes;

    /// <summary>Bytes of what waits.</summary>
    public int Bytes => _bytes;

    /// <summary>Queues an outcome behind the frames so far.</summary>
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

    /// <summary>Whether outcomes wait for a frame.</summary>
    /// <param name="before">How many frames came before it.</param>
    public bool Has(long before) => _results.TryPeek(out var first) && first.After <= before;

    /// <summary>Writes a frame's outcomes, as the field <c>Frame.outcomes</c>.</summary>
    /// <param name="own">Where to.</param>
    /// <param name="before">How many frames came before it.</param>
    public void TakeTo(IBufferWriter<byte> own, long before)
    {
        while (Has(before) && TryDequeue(out var result))
        {
            WireWriter.WriteBytes(own, V1.Frame.OutcomesFieldNumber, result.ToByteArray());
        }
    }

    /// <summary>Takes the next outcome, where no frame comes any more.</summary>
    public bool TryDequeue([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out ActionsOutcome? result)
    {
        var taken = _results.TryDequeue(out var first);
        _bytes -= first.Bytes;
        result = first.Result;
        return taken;
    }

    /// <summary>Drops them: there is no reader any more.</summary>
    public void Clear()
    {
        _results.Clear();
        _bytes = 0;
    }
}
