using System.Globalization;
using System.Reflection;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>The names in a recording; see docs/reference/recording-format.md.</summary>
public static class RecordingFormat
{
    /// <summary>The MCAP header's profile.</summary>
    public const string Profile = "sc2bridge";

    /// <summary>The topic of <c>StepRecord</c>s.</summary>
    public const string Steps = "/step";

    /// <summary>The topic of <c>RequestRecord</c>s.</summary>
    public const string Requests = "/request";

    /// <summary>The topic of <c>ActionRecord</c>s.</summary>
    public const string Actions = "/action";

    /// <summary>The topic of <c>MatchRecord</c>s.</summary>
    public const string Match = "/match";

    /// <summary>The attachment with the first perspective's <c>ResponseGameInfo</c>.</summary>
    public const string GameInfo = "game_info";

    /// <summary>The attachment with the <c>ResponseData</c>.</summary>
    public const string Data = "data";

    /// <summary>The attachment with the analysis of the match, as JSON.</summary>
    public const string Analysis = "analysis";

    /// <summary>The metadata record with facts about the match, for people to read.</summary>
    public const string Facts = "sc2bridge";

    /// <summary>The metadata record that maps channel numbers to topics. It precedes all chunks.</summary>
    public const string Topics = "sc2bridge.topics";

    private const string ObservationPrefix = "/observation/";

    /// <summary>The MCAP header's library: this program and its version.</summary>
    public static string Library { get; } = "sc2bridge "
        + typeof(RecordingFormat).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!
            .InformationalVersion.Split('+')[0];

    /// <summary>The topic of one perspective's observations.</summary>
    /// <param name="perspective">A player id, or 0 for an observer of all players.</param>
    public static string Observations(uint perspective) =>
        ObservationPrefix + perspective.ToString(CultureInfo.InvariantCulture);

    /// <summary>The attachment with another perspective's <c>ResponseGameInfo</c>, if it differs from the first perspective's.</summary>
    /// <param name="perspective">A player id, or 0 for an observer of all players.</param>
    public static string GameInfoOf(uint perspective) =>
        $"{GameInfo}_{perspective.ToString(CultureInfo.InvariantCulture)}";

    /// <summary>The perspective of a topic with observations; null for other topics.</summary>
    public static uint? PerspectiveOf(string topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        return topic.StartsWith(ObservationPrefix, StringComparison.Ordinal)
            && uint.TryParse(
                topic.AsSpan(ObservationPrefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var perspective)
            ? perspective
            : null;
    }

    /// <summary>The message type of a topic; null for an unknown topic.</summary>
    public static MessageDescriptor? MessageOf(string topic) => topic switch
    {
        Steps => StepRecord.Descriptor,
        Requests => RequestRecord.Descriptor,
        Actions => ActionRecord.Descriptor,
        Match => MatchRecord.Descriptor,
        _ => PerspectiveOf(topic) is null ? null : ResponseObservation.Descriptor,
    };

    /// <summary>The media type of an attachment that is a serialized message.</summary>
    public static string MediaType(MessageDescriptor message)
    {
        ArgumentNullException.ThrowIfNull(message);
        return $"application/protobuf; proto={message.FullName}";
    }
}
