using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Sc2Bridge.Admission;

/// <summary>A connection's input that is read no faster than its address may send: what was read is paid for first.</summary>
/// <param name="input">What is read.</param>
/// <param name="payAsync">Waits until so many bytes are within the allowance.</param>
internal sealed class MeteredInput(PipeReader input, Func<long, ValueTask> payAsync) : PipeReader
{
    private ReadOnlySequence<byte> _buffer;
    private long _known;
    private long _owed;

    // Pooled: this runs for every message of an agent.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_owed > 0)
        {
            var owed = _owed;
            _owed = 0;
            await payAsync(owed).ConfigureAwait(false);
        }

        return Count(await input.ReadAsync(cancellationToken).ConfigureAwait(false));
    }

    public override bool TryRead(out ReadResult result)
    {
        if (!input.TryRead(out result))
        {
            return false;
        }

        Count(result);
        return true;
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        _known = _buffer.Slice(consumed).Length;
        _buffer = default;
        input.AdvanceTo(consumed, examined);
    }

    public override void CancelPendingRead() => input.CancelPendingRead();

    public override void Complete(Exception? exception = null) => input.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => input.CompleteAsync(exception);

    private ReadResult Count(ReadResult result)
    {
        _buffer = result.Buffer;
        _owed += _buffer.Length - _known;
        _known = _buffer.Length;
        return result;
    }
}
