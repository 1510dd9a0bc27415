namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// A folder that looks like StarCraft II's: each build's SC2_x64 notes how it was started, and is the simulated game,
/// which says that it is of that build.
/// </summary>
internal sealed class MadeUpInstallation(string root)
{
    /// <summary>What SC2PATH is to name.</summary>
    public string Root => root;

    /// <summary>
    /// How games were started, in that order: the build, and the data version where one was asked for.
    /// </summary>
    public IReadOnlyList<string> Started => File.Exists(Notes) ? File.ReadAllLines(Notes) : [];

    private string Notes => Path.Combine(root, "started");

    /// <summary>Installs a build.</summary>
    /// <param name="build">Its number.</param>
    /// <param name="arguments">What <c>sc2bridge simulate</c> is started with beside the game's own.</param>
    public MadeUpInstallation Add(int build, params string[] arguments)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "the made-up installation is Linux's");
        var folder = Directory.CreateDirectory(Path.Combine(root, "Versions", $"Base{build}")).FullName;
        Directory.CreateDirectory(Path.Combine(root, "Maps"));
        var program = Path.Combine(folder, "SC2_x64");
        var more = string.Join(' ', arguments.Select(argument => $"'{argument}'"));
        File.WriteAllText(
            program,
            $$"""
            #!/bin/sh
            build={{build}}
            started=$build
            for argument in "$@"; do
                [ "$before" = -dataVersion ] && started="$started -dataVersion $argument"
                before=$argument
            done
            echo "$started" >> '{{Notes}}'
            exec {{string.Join(' ', BridgeProcess.Program)}} simulate -baseBuild $build {{more}} "$@"

            """);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(program, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        }

        return this;
    }
}
