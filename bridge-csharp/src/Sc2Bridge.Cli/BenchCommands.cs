using System.CommandLine;

namespace Sc2Bridge.Cli;

/// <summary>
/// The commands of <c>sc2bridge-bench</c>, which the launcher starts instead of this program. This class lists the
/// commands so that <c>--help</c> shows them.
/// </summary>
internal static class BenchCommands
{
    internal static Command Create(string name, string description)
    {
        var command = new Command(name, description) { TreatUnmatchedTokensAsErrors = false };
        command.SetAction((_, _) => Task.FromException<int>(new CommandException(
            $"{name} is not installed, because it measures the bridge itself: clone the repository and run ./sc2bridge {name} there; "
            + "for the figures of one match: sc2bridge match --rate 22.4")));
        return command;
    }
}
