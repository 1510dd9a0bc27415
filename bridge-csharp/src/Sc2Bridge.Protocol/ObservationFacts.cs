using Google.Protobuf;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol;

/// <summary>The facts of an observation that the bridge needs.</summary>
/// <param name="GameLoop">
/// <c>observation.game_loop</c>; 0 if it is missing. The value 2^32−1 marks a stub: a placeholder that the game can
/// send as its last observation.
/// </param>
/// <param name="HasPlayerResult">True if the match has ended and the observation reports the result.</param>
/// <param name="HasObservation">True if the field <c>observation</c> is present.</param>
public readonly record struct ObservationFacts(uint GameLoop, bool HasPlayerResult, bool HasObservation)
{
    /// <summary>
    /// Reads the facts from a serialized <see cref="ResponseObservation"/> without parsing it. Reads only
    /// two levels of messages. They have about twenty fields, even if the message is large.
    /// </summary>
    /// <param name="observation">The serialized <see cref="ResponseObservation"/>, as <see cref="ResponseSlicer"/> finds it.</param>
    /// <exception cref="MalformedMessageException">
    /// These two levels are not valid messages. Deeper levels are not checked.
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

                    // protobuf allows several parts of one message and merges them, so a part without a loop keeps the loop of an earlier part.
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
                gameLoop = (uint)reader.VarintValue;
            }
        }

        return gameLoop;
    }
}
