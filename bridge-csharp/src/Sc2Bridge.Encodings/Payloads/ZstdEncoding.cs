using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;

namespace Sc2Bridge.Encodings.Payloads;

/// <summary>A frame's content as one zstd frame that tells its size; made once for all who ask for it.</summary>
/// <param name="form">Of what content.</param>
/// <param name="pool">Where contexts are kept.</param>
internal sealed class ZstdEncoding(PayloadKind form, ZstdPool pool) : IFrameEncoding, IEquatable<ZstdEncoding>
{
    private readonly PayloadKind _form = form;
    private readonly ZstdPool _pool = pool;

    /// <inheritdoc/>
    public EncodingKind Kind => EncodingKind.Zstd;

    /// <inheritdoc/>
    public MessageBuffer Encode(ObservationFrame frame)
    {
        var content = _form.BytesOf(frame);
        var zstd = _pool.Take();
        var buffer = MessageBuffer.Rent(content.Length);
        try
        {
            zstd.Compress(content.Span, buffer);
            return buffer;
        }
        catch
        {
            buffer.Release();
            throw;
        }
        finally
        {
            _pool.Return(zstd);
        }
    }

    /// <inheritdoc/>
    public bool Equals(ZstdEncoding? other) => other is not null && other._form == _form && other._pool == _pool;

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as ZstdEncoding);

    /// <inheritdoc/>
    public override int GetHashCode() => _form.GetHashCode();
}
