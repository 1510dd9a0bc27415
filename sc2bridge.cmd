@echo off
rem Runs sc2bridge on Windows; sets up what is missing first. `sc2bridge --help` lists the commands.
setlocal EnableExtensions DisableDelayedExpansion
set project=src\Sc2Bridge.Cli
set program=sc2bridge
rem What measures is a program of its own, built when it is first asked for.
for %%c in (codec compare bench) do if "%~1"=="%%c" set project=bench\Sc2Bridge.Bench
if %project%==bench\Sc2Bridge.Bench set program=sc2bridge-bench
set program=bridge-csharp\%project%\bin\Release\net10.0\%program%.dll
set page=.setup\windows-page
set built=.setup\windows-built
set log=

rem The paths below are relative, so that no character of this folder's path matters.
pushd "%~dp0"
if not exist .setup md .setup

if exist .venv\windows-ready goto pictures
set python=py -3
py -3 --version >nul 2>&1
if %errorlevel% neq 0 set python=call python
if defined SC2BRIDGE_PYTHON set python="%SC2BRIDGE_PYTHON%"
set problem=Python 3.9 or newer is missing: install it from https://www.python.org/downloads/, or name one with SC2BRIDGE_PYTHON
%python% -c "import sys; sys.exit(sys.version_info < (3, 9))" >nul 2>&1
if %errorlevel% neq 0 goto failed
echo set-up: making .venv from PyPI>&2
set problem=.venv could not be made: see above
set log=.setup\pip.log
%python% -m venv --clear .venv >%log% 2>&1
if %errorlevel% neq 0 goto failed
.venv\Scripts\python -m pip install --quiet --disable-pip-version-check -e agent-python[all] >%log% 2>&1
if %errorlevel% neq 0 goto failed
echo.>.venv\windows-ready

:pictures
if not "%~1"=="inspect" goto sources
set draws=
:words
for %%w in (--picture --map-picture --video) do if "%~2"=="%%w" set draws=yes
shift /1
if not "%~2"=="" goto words
if not defined draws goto sources
.venv\Scripts\python -c "import matplotlib" >nul 2>&1
if %errorlevel% neq 0 .venv\Scripts\python -m pip install --quiet --disable-pip-version-check "matplotlib>=3.6"

rem robocopy keeps a copy of the sources. Its exit code is not 0 if a file has changed since the last start.
:sources
for %%d in (proto agent-js) do (
  robocopy %%d .setup\sources\%%d /mir /xd node_modules dist generated test bench /r:0 >nul
  if errorlevel 1 del %page% %built%-* 2>nul
)
for %%d in (scenarios bridge-csharp) do (
  robocopy %%d .setup\sources\%%d /mir /xd bin obj test /r:0 >nul
  if errorlevel 1 del %built%-* 2>nul
)

if exist %page% goto program
for %%n in (npm.cmd) do if "%%~$PATH:n"=="" goto program
echo set-up: building the live page>&2
del %built%-* 2>nul
rem protoc comes with a package of the bridge.
dotnet restore bridge-csharp\src\Sc2Bridge.Protocol >.setup\page.log 2>&1
set "packages=%USERPROFILE%\.nuget\packages"
if defined NUGET_PACKAGES set "packages=%NUGET_PACKAGES%"
for /d %%p in ("%packages%\grpc.tools\*") do set "PATH=%%p\tools\windows_x64;%PATH%"
for %%p in (agent-js agent-js\page) do (
  if exist %%p\dist rd /s /q %%p\dist
  call npm ci --prefix %%p --ignore-scripts --no-audit --no-fund >>.setup\page.log 2>&1
  if not errorlevel 1 call npm run build --prefix %%p >>.setup\page.log 2>&1
)
if not exist agent-js\page\dist\index.html echo set-up: the live page is left out: it needs npm, its registry and Node 20.19, 22.12 or newer (.setup\page.log)>&2
echo.>%page%

:program
set built=%built%-%project:\=-%
if exist %built% if exist %program% if exist agent-python\src\sc2bridge\_descriptors.binpb if exist agent-python\src\sc2bridge\ids.py goto run
set log=
set problem=the .NET 10 SDK is missing: install it from https://dotnet.microsoft.com/download
dotnet --version >nul 2>&1
if %errorlevel% neq 0 goto failed
echo set-up: building bridge-csharp\%project% in Release: the first time takes a minute>&2
set problem=the build failed: see above
set log=.setup\build.log
dotnet build bridge-csharp\%project% -c Release -v quiet -nodeReuse:false >%log% 2>&1
if %errorlevel% neq 0 goto failed
dotnet build-server shutdown --vbcscompiler >nul 2>&1
echo.>%built%
goto run

:failed
if defined log type %log%>&2
echo set-up: %problem%>&2
popd
exit /b 1

:run
popd
rem This goto ends the batch job, so that cmd does not ask after Ctrl-C whether to end it. The rest of the line still runs.
(goto) 2>nul & dotnet "%~dp0%program%" %*
