using System.Globalization;
using System.Reflection;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Recordings;

/// <summary>The names that stand in a recording; docs/reference/recording-format.md says what they mean.</summary>
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

    /// <summary>The attachment that holds the first perspective's <c>ResponseGameInfo</c>.</summary>
    public const string GameInfo = "game_info";

    /// <summary>The attachment that holds a <c>ResponseData</c>.</summary>
    public const string Data = "data";

    /// <summary>The attachment that holds the analysis of the match, as JSON.</summary>
    public const string Analysis = "analysis";

    /// <summary>The metadata record for people.</summary>
    public const string Facts = "sc2bridge";

    /// <summary>The metadata record that tells each channel's topic by its number, before any chunk.</summary>
    public const string Topics = "sc2bridge.topics";

    private const string ObservationPrefix = "/observation/";

    /// <summary>The MCAP header's library: this program and its version.</summary>
    public static string Library { get; } = "sc2bridge "
        + typeof(RecordingFormat).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!
            .InformationalVersion.Split('+')[0];

    /// <summary>The topic of one perspective's observations.</summary>
    /// <param name="perspective">A player id, 0 for an observer of all.</param>
    public static string Observations(uint perspective) =>
        ObservationPrefix + perspective.ToString(CultureInfo.InvariantCulture);

    /// <summary>The attachment that holds another perspective's <c>ResponseGameInfo</c>, where it differs.</summary>
    /// <param name="perspective">A player id, 0 for an observer of all.</param>
    public static string GameInfoOf(uint perspective) =>
        $"{GameInfo}_{perspective.ToString(CultureInfo.InvariantCulture)}";

    /// <summary>Whose observations a topic has; null where it has none.</summary>
    public static uint? PerspectiveOf(string topic)
    {
        ArgumentNullException.ThrowIfNull(topic);
        return topic.StartsWith(ObservationPrefix, StringComparison.Ordinal)
            && uint.TryParse(
                topic.AsSpan(ObservationPrefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out var perspective)
            ? perspective
            : null;
    }

    /// <summary>What the messages of a topic are; null of one that there is not.</summary>
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
