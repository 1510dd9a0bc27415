using System.Runtime.CompilerServices;

namespace Sc2Bridge.Streaming;

/// <summary>Kinds of encodings, as logs and meters tell them apart.</summary>
public enum EncodingKind
{
    /// <summary>Anything else, such as a whole message around another encoding.</summary>
    Other,

    /// <summary>The whole event as JSON.</summary>
    Json,

    /// <summary>The observation alone as JSON.</summary>
    ObservationJson,

    /// <summary>The observation as columns.</summary>
    Columns,

    /// <summary>A gRPC message in gzip.</summary>
    Gzip,

    /// <summary>The payload as a zstd frame of its own.</summary>
    Zstd,

    /// <summary>The observation as a block of a zstd group.</summary>
    GroupZstd,

    /// <summary>Another payload as a block of a zstd group.</summary>
    OtherGroupZstd,
}

/// <summary>Size and time of one encoding of a frame.</summary>
/// <param name="Bytes">Its length.</param>
/// <param name="Us">How long it took, in microseconds.</param>
public readonly record struct EncodingFigure(int Bytes, float Us);

/// <summary>One for each <see cref="EncodingKind"/>.</summary>
[InlineArray(Kinds)]
internal struct EncodingFigures
{
    /// <summary>How many kinds there are.</summary>
    public const int Kinds = (int)EncodingKind.OtherGroupZstd + 1;

    private EncodingFigure _first;
}
