using System.Net;
using System.Net.Http.Headers;

namespace Sc2Bridge.Server;

/// <summary>A request's body that stays open until the last message is written.</summary>
internal sealed class MessageContent : HttpContent
{
    private readonly TaskCompletionSource<Stream> _stream = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public MessageContent()
    {
        Headers.ContentType = new MediaTypeHeaderValue(GrpcHeaders.ContentType);
    }

    /// <summary>There once the call has begun.</summary>
    public Task<Stream> Stream => _stream.Task;

    public void Complete() => _done.TrySetResult();

    public void Abandon(Exception reason) => _stream.TrySetException(reason);

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(
        Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        // The headers go out now, not with the first message.
        await stream.FlushAsync(cancellationToken);
        _stream.TrySetResult(stream);
        await _done.Task.WaitAsync(cancellationToken);
    }

    protected override bool TryComputeLength(out long length)
    {
        length = 0;
        return false;
    }
}
