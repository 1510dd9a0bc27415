using Microsoft.AspNetCore.Http.Features;

namespace Sc2Bridge.Games;

/// <summary>The byte stream under a client's WebSocket. The stream converts the frames that the client sends.</summary>
/// <param name="connection">The connection. Disposed with this stream.</param>
internal sealed class ClientStream(Stream connection) : Stream
{
    private readonly ClientFrames _frames = new();
    private readonly byte[] _input = new byte[4096];
    private ReadOnlyMemory<byte> _unread;

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => true;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        if (buffer.IsEmpty)
        {
            // An empty read only waits until data is available.
            return _unread.IsEmpty ? await connection.ReadAsync(buffer, cancellationToken).ConfigureAwait(false) : 0;
        }

        while (true)
        {
            var (taken, given) = _frames.Convert(_unread.Span, buffer.Span);
            _unread = _unread[taken..];
            if (given > 0)
            {
                return given;
            }

            var read = await connection.ReadAsync(_input, cancellationToken).ConfigureAwait(false);
            if (read == 0)
            {
                return 0;
            }

            _unread = _input.AsMemory(0, read);
        }
    }

    /// <inheritdoc/>
    public override ValueTask WriteAsync(
        ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
        connection.WriteAsync(buffer, cancellationToken);

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Flush() => connection.Flush();

    /// <inheritdoc/>
    public override Task FlushAsync(CancellationToken cancellationToken) => connection.FlushAsync(cancellationToken);

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await connection.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            connection.Dispose();
        }

        base.Dispose(disposing);
    }

    /// <summary>Puts a <see cref="ClientStream"/> around a client's connection when the connection becomes a WebSocket.</summary>
    /// <param name="connection">The upgrade feature that the request has.</param>
    internal sealed class UpgradeFeature(IHttpUpgradeFeature connection) : IHttpUpgradeFeature
    {
        /// <inheritdoc/>
        public bool IsUpgradableRequest => connection.IsUpgradableRequest;

        /// <inheritdoc/>
        public async Task<Stream> UpgradeAsync() =>
            new ClientStream(await connection.UpgradeAsync().ConfigureAwait(false));
    }
}
