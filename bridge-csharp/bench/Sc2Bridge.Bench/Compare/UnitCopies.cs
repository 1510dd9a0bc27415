using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Bench;

/// <summary>Observations larger than a game's: each unit is in them several times, all else once.</summary>
internal static class UnitCopies
{
    // Above all that a game gives: its tags have an index and a count in the low 32 bits and a little more.
    private const int TagBits = 40;

    /// <summary>Makes one.</summary>
    /// <param name="observation">A serialized <c>ResponseObservation</c>.</param>
    /// <param name="copies">How often each unit is in it: 1 changes nothing but the encoding.</param>
    /// <returns>The same, with copies of its units under tags of their own behind them.</returns>
    /// <exception cref="InvalidProtocolBufferException">It is none.</exception>
    public static byte[] Make(ReadOnlySpan<byte> observation, int copies)
    {
        var made = ResponseObservation.Parser.ParseFrom(observation);
        if (made.Observation?.RawData is { } raw)
        {
            Unit[] units = [.. raw.Units];
            for (var copy = 1; copy < copies; copy++)
            {
                foreach (var unit in units)
                {
                    var another = unit.Clone();
                    another.Tag = unit.Tag + ((ulong)copy << TagBits);
                    raw.Units.Add(another);
                }
            }
        }

        return made.ToByteArray();
    }
}
