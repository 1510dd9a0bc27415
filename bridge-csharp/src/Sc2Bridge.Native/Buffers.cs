using System.Runtime.InteropServices;

namespace Sc2Bridge.Native;

/// <summary>The caller's buffers, which the library does not own. The order is that of sc2bridge.h.</summary>
internal sealed unsafe class Buffers
{
    private const int SinesAt = 9;

    private readonly EnvironmentSettings _settings;
    private readonly nint[] _data;

    /// <summary>Checks and keeps the addresses.</summary>
    /// <exception cref="Failure">A buffer is missing, has another size, or is not aligned.</exception>
    public Buffers(EnvironmentSettings settings, ReadOnlySpan<Part> parts)
    {
        _settings = settings;
        long matches = settings.Matches;
        (string Name, int Size, long Count)[] needed =
        [
            ("units", sizeof(float), matches * settings.RowCount * UnitTable.FeatureCount),
            ("types", sizeof(int), matches * settings.RowCount),
            ("mask", sizeof(sbyte), matches * settings.RowCount),
            ("player", sizeof(float), matches * UnitTable.PlayerCount),
            ("action_mask", sizeof(sbyte), matches * settings.Rows.Own * settings.ChoiceCount),
            ("rewards", sizeof(double), matches),
            ("terminated", sizeof(byte), matches),
            ("results", sizeof(int), matches),
            ("game_loops", sizeof(long), matches),
            ("sines", sizeof(float), 2 * Native.Sines.Count),
        ];
        if (parts.Length != needed.Length)
        {
            throw Failure.Argument($"{parts.Length} buffers: give {needed.Length}");
        }

        for (var i = 0; i < needed.Length; i++)
        {
            var (name, size, count) = needed[i];
            var isLeftOut = i == SinesAt && parts[i].Data == 0;
            if (!isLeftOut && parts[i].Bytes != size * count)
            {
                throw Failure.Argument($"buffer {name}: give {size * count} bytes, not {parts[i].Bytes}");
            }

            if (!isLeftOut && count > 0 && (parts[i].Data == 0 || parts[i].Data % size != 0))
            {
                throw Failure.Argument($"buffer {name}: give an address that is a multiple of {size}, not {parts[i].Data}");
            }
        }

        _data = [.. parts.ToArray().Select(part => part.Data)];
    }

    /// <summary>The caller's table of sines, or the usual one.</summary>
    public ReadOnlySpan<float> Sines =>
        _data[SinesAt] == 0 ? Native.Sines.Usual : new ReadOnlySpan<float>((void*)_data[SinesAt], 2 * Native.Sines.Count);

    /// <summary>A match's parts of the buffers.</summary>
    public MatchArrays Of(int match)
    {
        var rows = _settings.RowCount;
        return new MatchArrays
        {
            Units = SpanOf<float>(0, match, rows * UnitTable.FeatureCount),
            Types = SpanOf<int>(1, match, rows),
            Mask = SpanOf<sbyte>(2, match, rows),
            Player = SpanOf<float>(3, match, UnitTable.PlayerCount),
            ActionMask = SpanOf<sbyte>(4, match, _settings.Rows.Own * _settings.ChoiceCount),
            Reward = SpanOf<double>(5, match, 1),
            Terminated = SpanOf<byte>(6, match, 1),
            Result = SpanOf<int>(7, match, 1),
            GameLoop = SpanOf<long>(8, match, 1),
        };
    }

    private Span<T> SpanOf<T>(int buffer, int match, int length)
        where T : unmanaged => new((T*)_data[buffer] + ((long)match * length), length);

    /// <summary>A buffer as the caller gives it.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public struct Part
    {
        public nint Data;
        public long Bytes;
    }
}
