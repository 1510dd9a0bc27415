using System.IO.Pipelines;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http.Features;

namespace Sc2Bridge.Server;

/// <summary>The output of a connection or of one response. Counts the bytes that are written to it.</summary>
internal sealed class CountedOutput(PipeWriter output) : PipeWriter
{
    private long _bytes;

    /// <summary>The number of bytes written so far. Thread-safe.</summary>
    public long WrittenBytes => Volatile.Read(ref _bytes);

    public override bool CanGetUnflushedBytes => output.CanGetUnflushedBytes;

    public override long UnflushedBytes => output.UnflushedBytes;

    public override Memory<byte> GetMemory(int sizeHint = 0) => output.GetMemory(sizeHint);

    public override Span<byte> GetSpan(int sizeHint = 0) => output.GetSpan(sizeHint);

    // Only one thread at a time may write, as with every pipe.
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

/// <summary>A response's body that counts its bytes after compression.</summary>
internal sealed class CountedBody(IHttpResponseBodyFeature body) : IHttpResponseBodyFeature
{
    private readonly CountedOutput _output = new(body.Writer);

    /// <summary>The number of bytes written so far.</summary>
    public long WrittenBytes => _output.WrittenBytes;

    public Stream Stream => body.Stream;

    public PipeWriter Writer => _output;

    /// <summary>Installs the counter for every response.</summary>
    public static void Use(IApplicationBuilder app) => app.Use(next => http =>
    {
        http.Features.Set<IHttpResponseBodyFeature>(
            new CountedBody(http.Features.GetRequiredFeature<IHttpResponseBodyFeature>()));
        return next(http);
    });

    public void DisableBuffering() => body.DisableBuffering();

    public Task SendFileAsync(string path, long offset, long? count, CancellationToken cancellationToken = default) =>
        body.SendFileAsync(path, offset, count, cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken = default) => body.StartAsync(cancellationToken);

    public Task CompleteAsync() => body.CompleteAsync();
}
