using System.CommandLine;
using SC2APIProtocol;
using Sc2Bridge.GameApi;
using Sc2Bridge.Games;
using Sc2Bridge.Protocol;
using Sc2Bridge.Streaming;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options of commands that observe a game: the content of observations.</summary>
internal sealed class InterfaceOptionSet : OptionSet
{
    private readonly Option<bool> _disableFog = Flag(
        "--disable-fog", "see through the fog of war (perspectives other than 0)");

    private readonly Option<bool> _noScore = Flag("--no-score", "leave the score out of observations");
    private readonly Option<string?> _featureLayers = Text(
        "--feature-layers", null, "SCREEN[,MINIMAP]", "add feature layers with this many pixels, such as `84x84,64x64`");

    private readonly Option<bool> _crop = Flag("--crop", "crop map images to the playable area");
    private readonly Option<bool> _cloaked = Flag("--show-cloaked", "show cloaked units");
    private readonly Option<bool> _burrowed = Flag("--show-burrowed-shadows", "show the shadows of burrowed units");
    private readonly Option<bool> _placeholders = Flag(
        "--show-placeholders", "show buildings that are about to be placed");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups =>
    [
        new("observations", _disableFog, _featureLayers, _noScore, _crop, _cloaked, _burrowed, _placeholders)
        {
            OnlyInFile = [_noScore, _crop, _cloaked, _burrowed, _placeholders],
        },
    ];

    /// <summary>Whether the fog of war is lifted.</summary>
    internal bool ReadDisableFog(ParseResult parsed) => parsed.GetValue(_disableFog);

    /// <summary>Reads the values of the options.</summary>
    /// <exception cref="GameException">A size is invalid.</exception>
    internal InterfaceOptions Read(ParseResult parsed)
    {
        var options = DefaultInterface.Create();
        options.Score = !parsed.GetValue(_noScore);
        options.FeatureLayer = parsed.GetValue(_featureLayers) is { } size ? SpatialSize.Parse(size) : null;
        options.RawCropToPlayableArea = parsed.GetValue(_crop);
        options.ShowCloaked = parsed.GetValue(_cloaked);
        options.ShowBurrowedShadows = parsed.GetValue(_burrowed);
        options.ShowPlaceholders = parsed.GetValue(_placeholders);
        return options;
    }
}
