import { render } from 'preact';
import 'uplot/dist/uPlot.min.css';
import '../ui/style.css';
import '../ui/studio.css';
import { App } from './app';
import { Session } from './session';
import * as settings from './settings';

settings.followSystemTheme();
const token = new URLSearchParams(location.search).get('token') ?? '';
const session = new Session(`ws://${location.host}/ws?token=${encodeURIComponent(token)}`);
render(<App session={session} />, document.getElementById('app')!);
// For the end-to-end tests and for people at the console.
Object.assign(window, { voxelastic: session, voxelasticSettings: settings });
