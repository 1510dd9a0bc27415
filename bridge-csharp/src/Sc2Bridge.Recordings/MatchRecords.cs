using System.Text.RegularExpressions;
using Google.Protobuf;
using Sc2Bridge.Streaming;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>
/// Brings the messages of <c>/match</c> that builds before 0.1.0 wrote to today's form: in them a player's kind and race,
/// and the reason of an end, are texts.
/// </summary>
internal static partial class MatchRecords
{
    private const uint Kind = (2 << 3) | (uint)WireFormat.WireType.LengthDelimited;
    private const uint Race = (3 << 3) | (uint)WireFormat.WireType.LengthDelimited;

    private static readonly MessageParser<Player> KnownFields = Player.Parser.WithDiscardUnknownFields(true);

    /// <summary>A message as today's builds would have written it.</summary>
    /// <param name="record">As it was read; changed.</param>
    public static MatchRecord Current(MatchRecord record)
    {
        if (record.Start is { } match)
        {
            Player[] players = [.. match.Players.Select(Current)];
            match.Players.Clear();
            match.Players.Add(players);
        }

        if (record.End is { Reason: EndReason.Unspecified } end)
        {
            end.Reason = Reason(end);
        }

        return record;
    }

    private static Player Current(Player player)
    {
        var bytes = player.ToByteArray();
        var current = KnownFields.ParseFrom(bytes);
        var input = new CodedInputStream(bytes);
        while (input.ReadTag() is > 0 and var tag)
        {
            if (tag == Kind)
            {
                current.Kind = Named<PlayerKind>(input.ReadString());
            }
            else if (tag == Race)
            {
                current.Race = Named<PlayerRace>(input.ReadString());
            }
            else
            {
                input.SkipLastField();
            }
        }

        return current;
    }

    private static T Named<T>(string name)
        where T : struct, Enum => Enum.TryParse<T>(name, ignoreCase: true, out var value) && Enum.IsDefined(value) ? value : default;

    private static EndReason Reason(MatchEnd end)
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
