using System.Globalization;
using FoxgloveSchemas;
using Google.Protobuf.Reflection;
using SC2APIProtocol;
using Sc2Bridge.V1;

namespace Sc2Bridge.Foxglove;

/// <summary>A topic that Foxglove gets.</summary>
/// <param name="Name">With the perspective where it is one's own.</param>
/// <param name="Kind">What it holds.</param>
/// <param name="Perspective">Whose; null of what is the same for all.</param>
public sealed record FoxgloveTopic(string Name, TopicKind Kind, uint? Perspective)
{
    /// <summary>The step log's rows.</summary>
    public static FoxgloveTopic Step { get; } = new("/step", TopicKind.Step, null);

    /// <summary>What its messages are.</summary>
    public MessageDescriptor Message => Kind switch
    {
        TopicKind.Observation => ResponseObservation.Descriptor,
        TopicKind.Step => StepRecord.Descriptor,
        TopicKind.Units => SceneUpdate.Descriptor,
        _ => Grid.Descriptor,
    };

    /// <summary>What recordings hold too, by the names that it has there.</summary>
    /// <param name="perspectives">The perspectives that are shown.</param>
    public static IReadOnlyList<FoxgloveTopic> Recorded(IEnumerable<uint> perspectives) =>
    [
        Step,
        .. perspectives.Select(one => Named(TopicKind.Observation, "observation", one)),
    ];

    /// <summary>What is made of the observations.</summary>
    /// <param name="perspectives">The perspectives that are shown.</param>
    public static IReadOnlyList<FoxgloveTopic> Derived(IEnumerable<uint> perspectives) =>
    [
        new("/terrain", TopicKind.Terrain, null),
        .. perspectives.SelectMany(one => (FoxgloveTopic[])
        [
            Named(TopicKind.Units, "units", one),
            Named(TopicKind.Creep, "creep", one),
            Named(TopicKind.Visibility, "visibility", one),
        ]),
    ];

    private static FoxgloveTopic Named(TopicKind kind, string name, uint perspective) =>
        new($"/{name}/{perspective.ToString(CultureInfo.InvariantCulture)}", kind, perspective);
}

/// <summary>What a topic holds.</summary>
public enum TopicKind
{
    /// <summary>The game's observations, as they are.</summary>
    Observation,

    /// <summary>Rows of the step log.</summary>
    Step,

    /// <summary>The ground at the match's start.</summary>
    Terrain,

    /// <summary>A scene of the units.</summary>
    Units,

    /// <summary>Where creep is.</summary>
    Creep,

    /// <summary>What is seen.</summary>
    Visibility,
}
