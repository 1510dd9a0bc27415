using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Admission;

/// <summary>Reads a connection's input no faster than the client's rate allows. Each read waits until the rate allows the bytes of earlier reads.</summary>
/// <param name="input">The connection's input.</param>
/// <param name="waitForRateAsync">Waits until the rate of the client's address allows a number of bytes.</param>
internal sealed class MeteredInput(PipeReader input, Func<long, ValueTask> waitForRateAsync) : PipeReader
{
    private ReadOnlySequence<byte> _buffer;
    private long _countedLength;
    private long _unchargedBytes;

    // Pooled, because this runs for every message of an agent.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_unchargedBytes > 0)
        {
            var uncharged = _unchargedBytes;
            _unchargedBytes = 0;
            await waitForRateAsync(uncharged).ConfigureAwait(false);
        }

        return CountNewBytes(await input.ReadAsync(cancellationToken).ConfigureAwait(false));
    }

    public override bool TryRead(out ReadResult result)
    {
        if (!input.TryRead(out result))
        {
            return false;
        }

        CountNewBytes(result);
        return true;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        _countedLength = _buffer.Slice(consumed).Length;
        _buffer = default;
        input.AdvanceTo(consumed, examined);
    }

    public override void CancelPendingRead() => input.CancelPendingRead();

    public override void Complete(Exception? exception = null) => input.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => input.CompleteAsync(exception);

    private ReadResult CountNewBytes(ReadResult result)
    {
        _buffer = result.Buffer;
        _unchargedBytes += _buffer.Length - _countedLength;
        _countedLength = _buffer.Length;
        return result;
    }
}
