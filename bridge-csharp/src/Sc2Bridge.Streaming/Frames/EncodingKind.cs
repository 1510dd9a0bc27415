using System.Runtime.CompilerServices;

namespace Sc2Bridge.Streaming;

/// <summary>The kinds of encodings in logs and metrics.</summary>
public enum EncodingKind
{
    /// <summary>Any encoding that is not listed below, such as a whole message around another encoding.</summary>
    Other,

    /// <summary>The whole message as JSON.</summary>
    Json,

    /// <summary>The observation alone as JSON.</summary>
    ObservationJson,

    /// <summary>The observation as columns.</summary>
    Columns,

    /// <summary>A gRPC message compressed with gzip.</summary>
    Gzip,

    /// <summary>The payload, compressed with zstd on its own.</summary>
    Zstd,

    /// <summary>The whole observation as a block of a zstd group.</summary>
    GroupZstd,

    /// <summary>Another payload as a block of a zstd group.</summary>
    OtherGroupZstd,
}

/// <summary>Size and time of one encoding of a frame.</summary>
/// <param name="Bytes">The length of the encoding, in bytes.</param>
/// <param name="Us">The time to make the encoding, in microseconds.</param>
public readonly record struct EncodingFigure(int Bytes, float Us);

/// <summary>One figure for each <see cref="EncodingKind"/>.</summary>
[InlineArray(KindCount)]
internal struct EncodingFigures
{
    public const int KindCount = (int)EncodingKind.OtherGroupZstd + 1;

    private EncodingFigure _first;
}
