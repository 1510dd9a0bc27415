using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol;

/// <summary>What the bridge needs to know of an observation.</summary>
/// <param name="GameLoop">
/// <c>observation.game_loop</c>; 0 where it is absent. 2^32−1 marks the stub that the game can send last.
/// </param>
/// <param name="HasPlayerResult">True where the match has ended and the observation says how.</param>
/// <param name="HasObservation">True where the field <c>observation</c> is there at all.</param>
public readonly record struct ObservationFacts(uint GameLoop, bool HasPlayerResult, bool HasObservation)
{
    /// <summary>
    /// Reads them from a serialized <see cref="ResponseObservation"/> without parsing it: it walks the fields of two
    /// levels, some twenty in all, however large the message is.
    /// </summary>
    /// <param name="observation">The serialized <see cref="ResponseObservation"/>, as the slice's body.</param>
    /// <exception cref="MalformedMessageException">
    /// The two levels that are walked are not messages. What lies deeper is not looked at.
    /// </exception>
    public static ObservationFacts Read(ReadOnlySpan<byte> observation)
    {
        uint gameLoop = 0;
        var (hasResult, hasObservation) = (false, false);
        var reader = new WireReader(observation);
        while (reader.Next())
        {
            switch (reader.Field, reader.Type)
            {
                case (ResponseObservation.ObservationFieldNumber, WireFormat.WireType.LengthDelimited):
                    hasObservation = true;

                    // Parts of one message add up (protobuf merges them), so a part without a loop keeps the last.
                    gameLoop = ReadGameLoop(observation, reader.ContentStart, reader.Content.Length) ?? gameLoop;
                    break;
                case (ResponseObservation.PlayerResultFieldNumber, WireFormat.WireType.LengthDelimited):
                    hasResult = true;
                    break;
            }
        }

        return new ObservationFacts(gameLoop, hasResult, hasObservation);
    }

    private static uint? ReadGameLoop(ReadOnlySpan<byte> bytes, int start, int length)
    {
        uint? gameLoop = null;
        var reader = new WireReader(bytes, start, length);
        while (reader.Next())
        {
            if (reader.Field == Observation.GameLoopFieldNumber && reader.Type == WireFormat.WireType.Varint)
            {
                gameLoop = (uint)reader.Number;
            }
        }

        return gameLoop;
    }
}
