using System.CommandLine;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The option of commands that leave a post-mortem.</summary>
internal sealed class PostMortemOptionSet : OptionSet
{
    private readonly Option<PostMortemMode> _mode = Choice(
        "--post-mortem", PostMortemMode.Failed,
        "which matches leave a [post-mortem](../guide/post-mortem.md): matches that end abnormally, all, or none");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups => [new("files", _mode)];

    /// <summary>Reads the value of the option.</summary>
    internal PostMortemMode Read(ParseResult parsed) => parsed.GetValue(_mode);
}
