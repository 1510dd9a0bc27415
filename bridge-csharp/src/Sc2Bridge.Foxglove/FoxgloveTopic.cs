using System.Globalization;
using FoxgloveSchemas;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Foxglove;

/// <summary>A topic that the bridge offers to Foxglove.</summary>
/// <param name="Name">The name of the topic. It ends with the perspective if the topic has a perspective.</param>
/// <param name="Kind">The content of the messages.</param>
/// <param name="Perspective">The perspective; null for a topic that is the same for all perspectives.</param>
public sealed record FoxgloveTopic(string Name, TopicKind Kind, uint? Perspective)
{
    /// <summary>The step log's rows.</summary>
    public static FoxgloveTopic Step { get; } = new("/step", TopicKind.Step, null);

    /// <summary>The protobuf type of the messages.</summary>
    public MessageDescriptor MessageType => Kind switch
    {
        TopicKind.Observation => ResponseObservation.Descriptor,
        TopicKind.Step => StepRecord.Descriptor,
        TopicKind.Units => SceneUpdate.Descriptor,
        _ => Grid.Descriptor,
    };

    /// <summary>The topics that recordings also contain, under the same names.</summary>
    /// <param name="perspectives">The perspectives that are shown.</param>
    public static IReadOnlyList<FoxgloveTopic> Recorded(IEnumerable<uint> perspectives) =>
    [
        Step,
        .. perspectives.Select(perspective => ForPerspective(TopicKind.Observation, "observation", perspective)),
    ];

    /// <summary>The topics that are computed from the observations.</summary>
    /// <param name="perspectives">The perspectives that are shown.</param>
    public static IReadOnlyList<FoxgloveTopic> Derived(IEnumerable<uint> perspectives) =>
    [
        new("/terrain", TopicKind.Terrain, null),
        .. perspectives.SelectMany(perspective => (FoxgloveTopic[])
        [
            ForPerspective(TopicKind.Units, "units", perspective),
            ForPerspective(TopicKind.Creep, "creep", perspective),
            ForPerspective(TopicKind.Visibility, "visibility", perspective),
        ]),
    ];

    private static FoxgloveTopic ForPerspective(TopicKind kind, string name, uint perspective) =>
        new($"/{name}/{perspective.ToString(CultureInfo.InvariantCulture)}", kind, perspective);
}

/// <summary>The content of the messages of a topic.</summary>
public enum TopicKind
{
    /// <summary>The game's observations, unchanged.</summary>
    Observation,

    /// <summary>Rows of the step log.</summary>
    Step,

    /// <summary>The terrain at the match's start.</summary>
    Terrain,

    /// <summary>A scene with all units.</summary>
    Units,

    /// <summary>The cells with creep.</summary>
    Creep,

    /// <summary>The visibility of each cell for the player.</summary>
    Visibility,
}
