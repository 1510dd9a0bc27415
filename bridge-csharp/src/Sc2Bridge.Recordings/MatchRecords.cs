using System.Text.RegularExpressions;
using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Converts <c>/match</c> messages from builds before 0.1.0. Those builds wrote a player's kind and race, and the
/// reason for the end of the match, as texts instead of enums.
/// </summary>
internal static partial class MatchRecords
{
    private const uint KindTag = (2 << 3) | (uint)WireFormat.WireType.LengthDelimited;
    private const uint RaceTag = (3 << 3) | (uint)WireFormat.WireType.LengthDelimited;

    private static readonly MessageParser<Player> KnownFieldsParser = Player.Parser.WithDiscardUnknownFields(true);

    /// <summary>Converts a message to the current form.</summary>
    /// <param name="record">The message. It is changed.</param>
    public static MatchRecord ToCurrentForm(MatchRecord record)
    {
        if (record.Start is { } match)
        {
            Player[] players = [.. match.Players.Select(ToCurrentForm)];
            match.Players.Clear();
            match.Players.Add(players);
        }

        if (record.End is { Reason: EndReason.Unspecified } end)
        {
            end.Reason = ReasonOf(end);
        }

        return record;
    }

    private static Player ToCurrentForm(Player player)
    {
        var bytes = player.ToByteArray();
        var current = KnownFieldsParser.ParseFrom(bytes);
        var input = new CodedInputStream(bytes);
        while (input.ReadTag() is > 0 and var tag)
        {
            if (tag == KindTag)
            {
                current.Kind = ValueNamed<PlayerKind>(input.ReadBytes());
            }
            else if (tag == RaceTag)
            {
                current.Race = ValueNamed<PlayerRace>(input.ReadBytes());
            }
            else
            {
                input.SkipLastField();
            }
        }

        return current;
    }

    // Returns the default value for an unknown name. Invalid UTF-8 never equals a name.
    private static T ValueNamed<T>(ByteString name)
        where T : struct, Enum => Array.Find(
            Enum.GetValues<T>(), value => value.ToString().Equals(name.ToStringUtf8(), StringComparison.OrdinalIgnoreCase));

    private static EndReason ReasonOf(MatchEnd end)
    {
        var known = Array.Find(Enum.GetValues<EndReason>(), reason => reason.Words() == end.Detail);
        return known != EndReason.Unspecified ? known
            : end.Aborted ? EndReason.Failed
            : Forfeit().IsMatch(end.Detail) ? EndReason.Forfeit
            : end.Detail.StartsWith("Ladder rules: a match ends at ", StringComparison.Ordinal) ? EndReason.StepLimit
            : EndReason.Unspecified;
    }

    [GeneratedRegex(@"^forfeited by player |left the game\z|^Ladder rules: .* took ")]
    private static partial Regex Forfeit();
}
