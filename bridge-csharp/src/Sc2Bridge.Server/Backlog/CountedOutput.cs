using System.IO.Pipelines;

namespace Sc2Bridge.Server;

/// <summary>A connection's output, which counts what is handed to it.</summary>
internal sealed class CountedOutput(PipeWriter output) : PipeWriter
{
    private long _bytes;

    /// <summary>Bytes handed over since the connection began. Any thread may ask.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    public override bool CanGetUnflushedBytes => output.CanGetUnflushedBytes;

    public override long UnflushedBytes => output.UnflushedBytes;

    public override Memory<byte> GetMemory(int sizeHint = 0) => output.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => output.GetSpan(sizeHint);

    // One writer at a time, as with every pipe.
    public override void Advance(int bytes)
    {
        Volatile.Write(ref _bytes, _bytes + bytes);
        output.Advance(bytes);
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default) =>
        output.FlushAsync(cancellationToken);

    public override ValueTask<FlushResult> WriteAsync(
        ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        Volatile.Write(ref _bytes, _bytes + source.Length);
        return output.WriteAsync(source, cancellationToken);
    }

    public override void CancelPendingFlush() => output.CancelPendingFlush();

    public override void Complete(Exception? exception = null) => output.Complete(exception);

    public override ValueTask CompleteAsync(Exception? exception = null) => output.CompleteAsync(exception);
}
