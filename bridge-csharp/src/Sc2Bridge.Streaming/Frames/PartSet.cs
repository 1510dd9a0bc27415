namespace Sc2Bridge.Streaming;

/// <summary>The parts of an observation that are left out, as a set of <see cref="V1.Part"/>.</summary>
[Flags]
public enum PartSet
{
    /// <summary>Nothing is left out.</summary>
    None = 0,

    /// <summary>observation.abilities</summary>
    Abilities = 1 << V1.Part.Abilities,

    /// <summary>observation.score</summary>
    Score = 1 << V1.Part.Score,

    /// <summary>observation.raw_data</summary>
    Raw = 1 << V1.Part.Raw,

    /// <summary>observation.raw_data.map_state</summary>
    MapState = 1 << V1.Part.MapState,

    /// <summary>observation.feature_layer_data</summary>
    FeatureLayers = 1 << V1.Part.FeatureLayers,

    /// <summary>observation.render_data</summary>
    Render = 1 << V1.Part.Render,

    /// <summary>observation.ui_data</summary>
    Ui = 1 << V1.Part.Ui,
}
