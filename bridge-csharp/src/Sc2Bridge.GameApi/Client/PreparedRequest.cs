using Google.Protobuf;
using SC2APIProtocol;
using Sc2Bridge.Protocol;

namespace Sc2Bridge.GameApi;

/// <summary>
/// A serialized request whose id is patched in place, so that a request made every step is serialized once.
/// </summary>
/// <remarks>
/// The id stands last, where it overrides one that the request has of its own. Ids from 2^28 up take five bytes as a
/// varint, so its place never moves.
/// </remarks>
internal sealed class PreparedRequest
{
    /// <summary>The smallest id of five bytes.</summary>
    internal const uint FirstId = 1u << 28;

    private const int IdLength = 5;
    private readonly byte[] _bytes;
    private readonly int _idAt;

    internal PreparedRequest(Request request)
    {
        Kind = request.RequestCase;
        var tag = WireFormat.MakeTag(Request.IdFieldNumber, WireFormat.WireType.Varint);
        var body = request.CalculateSize();
        _idAt = body + WireWriter.VarintSize(tag);
        _bytes = new byte[_idAt + IdLength];
        request.WriteTo(_bytes.AsSpan(0, body));
        WireWriter.WriteVarint(_bytes.AsSpan(body), tag);
    }

    internal Request.RequestOneofCase Kind { get; }

    /// <summary>The bytes under an id; good until the next call.</summary>
    internal ReadOnlyMemory<byte> WithId(uint id)
    {
        WireWriter.WriteVarint(_bytes.AsSpan(_idAt), id);
        return _bytes;
    }

    /// <summary>The id after this one.</summary>
    internal static uint NextId(uint id) => id == uint.MaxValue ? FirstId : id + 1;
}
