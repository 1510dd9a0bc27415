namespace Sc2Bridge.Functional.Tests;

/// <summary>
/// A folder that looks like an installation of StarCraft II. Each build's SC2_x64 notes how it was started, and runs the
/// simulated game, which reports that build.
/// </summary>
internal sealed class MadeUpInstallation(string root)
{
    /// <summary>The value of SC2PATH.</summary>
    public string Root => root;

    /// <summary>
    /// The started games, in order: the build, and the data version if one was requested.
    /// </summary>
    public IReadOnlyList<string> Started => File.Exists(Notes) ? File.ReadAllLines(Notes) : [];

    private string Notes => Path.Combine(root, "started");

    /// <summary>Installs a build.</summary>
    /// <param name="build">Its number.</param>
    /// <param name="arguments">More arguments for <c>sc2bridge simulate</c>.</param>
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
