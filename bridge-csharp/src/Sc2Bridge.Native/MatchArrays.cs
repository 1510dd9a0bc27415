namespace Sc2Bridge.Native;

/// <summary>One match's parts of the caller's buffers.</summary>
internal readonly ref struct MatchArrays
{
    public required Span<float> Units { get; init; }

    public required Span<int> Types { get; init; }

    public required Span<sbyte> Mask { get; init; }

    public required Span<float> Player { get; init; }

    public required Span<sbyte> ActionMask { get; init; }

    public required Span<double> Reward { get; init; }

    public required Span<byte> Terminated { get; init; }

    public required Span<int> Result { get; init; }

    public required Span<long> GameLoop { get; init; }
}
